/* test_misuse_state.c: the right call at the wrong time: before init, after destroy, twice; and an environment that makes
 * no sense. */
#include "misuse_test.h"

/* ---- before and after the job -------------------------------------------------------- */

MISUSE_BARE(rank_before_init, 2, DIST_ERR_STATE, "dist_get_rank", "before dist_init_process_group")
{
    dist_get_rank();
}

MISUSE_BARE(send_before_init, 2, DIST_ERR_STATE, "dist_send", "rank 0: ", "before dist_init_process_group")
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_init_process_group();
}

MISUSE_BARE(barrier_before_init, 1, DIST_ERR_STATE, "dist_barrier",
            "rank 0: ", "before dist_init_process_group")
{
    dist_barrier();
}

MISUSE_BARE(destroy_before_init, 2, DIST_ERR_STATE, "dist_destroy_process_group",
            "before dist_init_process_group")
{
    dist_destroy_process_group();
}

MISUSE_BARE(all_reduce_after_destroy, 2, DIST_ERR_STATE, "dist_all_reduce",
            "after dist_destroy_process_group")
{
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_F32, 4);
    dist_destroy_process_group();
    dist_all_reduce(x);
}

MISUSE_BARE(destroy_twice, 2, DIST_ERR_STATE, "dist_destroy_process_group",
            "after dist_destroy_process_group")
{
    dist_init_process_group();
    dist_destroy_process_group();
    dist_destroy_process_group();
}

MISUSE_BARE(init_after_destroy, 2, DIST_ERR_STATE, "dist_init_process_group", "second time")
{
    dist_init_process_group();
    dist_destroy_process_group();
    dist_init_process_group();
}

MISUSE(init_twice, 2, DIST_ERR_STATE, "dist_init_process_group", "rank 1: ", "second time")
{
    if (rank == 1)
        dist_init_process_group();
}

MISUSE_BARE(a_backend_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_init_process_group",
            "\"carrier pigeon\"", "shm")
{
    dist_init_process_group(.backend = "carrier pigeon");
}

static void idle(int rank, int size)
{
    (void)rank;
    (void)size;
}

static void spawn_again(int rank, int size)
{
    if (rank == 1)
        dist_spawn(idle, size);
}

Test(misuse, spawn_inside_a_rank, .timeout = 60)
{
    static const char *const words[] = { "rank 1: ", NULL };
    misuse_expect((struct misuse){ spawn_again, 2, DIST_ERR_STATE, NULL, "dist_spawn", words, NULL, NULL });
}

/* ---- works ------------------------------------------------------------------------------ */

MISUSE(wait_for_null, 2, DIST_ERR_ARGUMENT, "dist_wait", "rank 1: ", "work is NULL")
{
    if (rank == 1)
        dist_wait(NULL);
}

MISUSE(wait_twice, 2, DIST_ERR_STATE, "dist_wait", "rank ", "waited for already")
{
    dist_work *work = dist_all_reduce(x, .async_op = true);
    dist_wait(work);
    dist_wait(work);
}

MISUSE(look_at_a_work_that_is_over, 2, DIST_ERR_STATE, "dist_is_completed", "rank ", "waited for already")
{
    dist_work *work = dist_barrier(.async_op = true);
    dist_wait(work);
    for (int i = 0; i < 20; i++) /* other works do not make the old one look alive */
        dist_wait(dist_barrier(.async_op = true));
    dist_is_completed(work);
}

MISUSE(wait_all_with_one_twice, 2, DIST_ERR_STATE, "dist_wait_all", "rank ", "waited for already")
{
    dist_work *work = dist_all_reduce(x, .async_op = true);
    dist_wait_all(((dist_work *[]){ work, work }), 2);
}

MISUSE(wait_all_without_works, 2, DIST_ERR_ARGUMENT, "dist_wait_all", "rank 0: ", "NULL")
{
    if (rank == 0)
        dist_wait_all(NULL, 2);
}

MISUSE(wait_all_with_a_null, 2, DIST_ERR_ARGUMENT, "dist_wait_all", "rank 0: ", "work is NULL")
{
    if (rank == 0)
        dist_wait_all(((dist_work *[]){ NULL }), 1);
}

/* ---- groups ------------------------------------------------------------------------------ */

MISUSE(a_group_with_a_rank_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_new_group", "rank ", "is 5",
       "0 to 1")
{
    dist_new_group(((int[]){ 0, 5 }), 2);
}

MISUSE(a_group_with_a_rank_twice, 2, DIST_ERR_ARGUMENT, "dist_new_group", "rank 1 is in the list twice")
{
    dist_new_group(((int[]){ 1, 1 }), 2);
}

MISUSE(a_group_of_nobody, 2, DIST_ERR_ARGUMENT, "dist_new_group", "count 0")
{
    dist_new_group(((int[]){ 0 }), 0);
}

MISUSE(a_group_of_null, 2, DIST_ERR_ARGUMENT, "dist_new_group", "NULL")
{
    dist_new_group(NULL, 2);
}

MISUSE(a_collective_by_somebody_else, 3, DIST_ERR_ARGUMENT, "dist_all_reduce", "rank 2: ", "not a member")
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    if (rank <= 2) /* (one of them alone) */
        dist_all_reduce(x, .group = group);
}

MISUSE(a_message_to_somebody_outside_the_group, 3, DIST_ERR_ARGUMENT, "dist_send", "rank 1: ", "not a member")
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    if (rank == 1)
        dist_send(x, 2, .group = group);
}

MISUSE(use_of_a_freed_group, 2, DIST_ERR_ARGUMENT, "dist_all_reduce", "rank ", "group was freed")
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    dist_group_free(group);
    dist_all_reduce(x, .group = group);
}

MISUSE(a_group_freed_twice, 2, DIST_ERR_STATE, "dist_group_free", "rank ", "freed already")
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    dist_group_free(group);
    dist_group_free(group);
}

MISUSE(a_group_freed_with_works_pending, 2, DIST_ERR_STATE, "dist_group_free", "rank ", "not waited for",
       "dist_wait")
{
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), 2);
    dist_all_reduce(x, .group = group, .async_op = true);
    dist_group_free(group);
}

/* ---- the environment ----------------------------------------------------------------------- */

static void misuse_idle(int rank, int size)
{
    (void)rank;
    (void)size;
    dist_init_process_group();
    dist_destroy_process_group();
}

MISUSE_ENVIRONMENT(a_world_of_none, "WORLD_SIZE=0", "WORLD_SIZE is \"0\"", "1 to")
MISUSE_ENVIRONMENT(a_world_of_letters, "WORLD_SIZE=abc", "WORLD_SIZE is \"abc\"", "whole number")
MISUSE_ENVIRONMENT(a_world_of_too_many, "WORLD_SIZE=100000", "WORLD_SIZE is \"100000\"", "1 to")
MISUSE_ENVIRONMENT(ranks_of_another_kind, "DIST_RANKS=fibers", "DIST_RANKS is \"fibers\"", "threads")
MISUSE_ENVIRONMENT(output_of_another_kind, "DIST_OUTPUT=loud", "DIST_OUTPUT is \"loud\"", "ordered")
MISUSE_ENVIRONMENT(buffers_of_another_kind, "DIST_BUFFERING=lots", "DIST_BUFFERING is \"lots\"", "eager")
MISUSE_ENVIRONMENT(a_backend_of_that_name, "BACKEND=pigeon", "BACKEND is \"pigeon\"", "shm")
