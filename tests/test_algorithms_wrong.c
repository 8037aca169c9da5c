/* test_algorithms_wrong.c: collectives by messages, where the program or its environment is wrong. */
#define _GNU_SOURCE
#include "algorithms/algorithms.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TestSuite(algorithms_wrong, .timeout = 60);

static void disagree(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 100);
    dist_all_reduce(t, .op = rank == 1 ? DIST_MAX : DIST_SUM);
    dist_destroy_process_group();
}

static void other_counts(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, rank == 1 ? 100 : 99);
    dist_all_reduce(t);
    dist_destroy_process_group();
}

/* Only one of the two is done by messages. */
static void another_order(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_F32, 4), *y = tensor_zeros(DIST_F32, 4);
    dist_work *works[2];
    for (int i = 0; i < 2; i++)
        works[i] =
            i == (rank == 0) ? dist_all_reduce(x, .async_op = true) : dist_broadcast(y, .async_op = true);
    dist_wait_all(works, 2);
    dist_destroy_process_group();
}

static void come_late(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    if (rank == 2)
        usleep(600 * 1000);
    dist_monitored_barrier(.timeout = 0.2);
    dist_destroy_process_group();
}

Test(algorithms_wrong, ranks_that_disagree_are_told)
{
    setenv("DIST_ALGORITHM", "ring", 1);
    cr_assert_eq(dist_spawn(disagree, 4), DIST_ERR_MISMATCH);
    cr_assert_eq(dist_spawn(other_counts, 3), DIST_ERR_MISMATCH);
    cr_assert_eq(dist_spawn(another_order, 3), DIST_ERR_DEADLOCK);
}

static void note(const struct dist_report *told, void *error)
{
    *(enum dist_error *)error = told->error;
}

/* Only rank 3 has another count, and only its neighbours exchange words with it. */
static void all_hear_of_it(int rank, int world_size)
{
    enum dist_error error = DIST_OK;
    dist_init_process_group();
    dist_group *group = dist_new_group(((int[]){ 5, 0, 3, 1, 4, 2 }), world_size);
    dist_set_error_handler(note, &error);
    tensor *t = tensor_full(DIST_F32, rank, rank == 3 ? 5 : 4), *good = tensor_full(DIST_F32, rank, 4);
    for (int round = 0; round < 20; round++) {
        error = DIST_OK;
        dist_all_reduce(t, .group = round % 2 ? group : NULL);
        if (error != DIST_ERR_MISMATCH)
            exit(1);
    }
    error = DIST_OK;
    dist_group_free(group);
    dist_all_reduce(good); /* the job goes on */
    dist_destroy_process_group();
    exit(error == DIST_OK && tensor_item(good, 3) == 15 ? 0 : 2);
}

Test(algorithms_wrong, all_ranks_hear_of_a_mismatch)
{
    static const char *const names[] = { "gather", "tree", "ring", "halving", "messages" };
    for (int i = 0; i < 5; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        cr_expect_eq(dist_spawn(all_hear_of_it, 6), 0, "%s", names[i]);
    }
}

Test(algorithms_wrong, a_monitored_barrier_gives_up)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    cr_assert_eq(dist_spawn(come_late, 4), DIST_ERR_TIMEOUT);
}

/* Rank 0 comes when all others have given up, and is told so, too. */
static void come_last(int rank, int world_size)
{
    enum dist_error error = DIST_OK;
    dist_init_process_group();
    dist_set_error_handler(note, &error);
    tensor *word = tensor_zeros(DIST_U8, 1);
    for (int i = 1; rank == 0 && i < world_size; i++)
        dist_recv(word, i);
    int result = dist_monitored_barrier(.timeout = 0.2);
    if (rank > 0)
        dist_send(word, 0);
    tensor_free(word);
    dist_destroy_process_group();
    exit(result == -DIST_ERR_TIMEOUT ? 0 : 2);
}

Test(algorithms_wrong, all_ranks_hear_that_a_monitored_barrier_has_given_up)
{
    static const char *const buffering[] = { "rendezvous", "eager:4096" };
    setenv("DIST_ALGORITHM", "messages", 1);
    for (int i = 0; i < 2; i++) {
        setenv("DIST_BUFFERING", buffering[i], 1);
        cr_expect_eq(dist_spawn(come_last, 4), 0, "%s", buffering[i]);
    }
}

static tensor *of_before;

static void out_of_reach(int rank, int world_size)
{
    enum dist_error error = DIST_OK;
    (void)rank, (void)world_size;
    dist_init_process_group();
    dist_set_error_handler(note, &error);
    int result = algorithm_all_reduce("ring", of_before, DIST_SUM);
    bool refused = result == -DIST_ERR_ARGUMENT && error == DIST_ERR_ARGUMENT;
    tensor *t = tensor_zeros(DIST_F32, 8);
    refused = refused && algorithm_all_reduce("ring", t, (enum dist_op)7) == -DIST_ERR_ARGUMENT;
    tensor_free(t);
    dist_destroy_process_group();
    _exit(refused ? 0 : 2); /* (the tensor is the parent's, and no leak) */
}

Test(algorithms_wrong, a_tensor_out_of_reach_and_no_reduction_are_refused)
{
    of_before = tensor_zeros(DIST_F32, 8);
    cr_expect_eq(dist_spawn(out_of_reach, 2), 0);
    tensor_free(of_before);
}

/* What each rank has heard, and whether it was told why. */
static struct heard {
    int error;
    bool why;
} * heard;

static void note_for_parent(const struct dist_report *told, void *context)
{
    (void)context;
    heard[told->rank].error = (int)told->error;
    heard[told->rank].why = strstr(told->sentence, "rank 1 ended with exit status 3") != NULL;
}

static void lose_one(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_error_handler(note_for_parent, NULL);
    if (rank == 1) {
        usleep(200 * 1000);
        exit(3);
    }
    dist_monitored_barrier(.timeout = 20);
    dist_monitored_barrier(.timeout = 20); /* and one that begins when the job has failed */
    exit(0);
}

Test(algorithms_wrong, a_monitored_barrier_that_loses_a_rank)
{
    enum { RANKS = 3 };
    setenv("DIST_ALGORITHM", "messages", 1);
    heard = mmap(NULL, RANKS * sizeof *heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(heard != MAP_FAILED);
    cr_expect_eq(dist_spawn(lose_one, RANKS), 3);
    for (int rank = 0; rank < RANKS; rank += 2)
        cr_expect(heard[rank].error == DIST_ERR_PEER_LOST && heard[rank].why, "rank %d: %d, words %d", rank,
                  heard[rank].error, heard[rank].why);
    munmap(heard, RANKS * sizeof *heard);
}

static void forget(int rank, int world_size)
{
    (void)rank, (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 1000);
    dist_all_reduce(t, .async_op = true); /* never waited for */
    dist_destroy_process_group();
    tensor_free(t);
}

Test(algorithms_wrong, one_that_nobody_waits_for_does_not_hang_the_end)
{
    setenv("DIST_ALGORITHM", "halving", 1);
    cr_assert_eq(dist_spawn(forget, 5), 0);
}
