/* test_nccl_groups.c: communicators of groups, and the order of streams, in the nccl backend; as test_nccl_backend.c. */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/stage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct double_script plain = { .spread = true, .split_size = 3 };

/* The others are on other machines: so what this rank asks for goes to NCCL as it is. */
static void set_up(void)
{
    setenv("MASTER_ADDR", "10.0.0.1", 1);
}

TestSuite(nccl_groups, .timeout = 60, .init = set_up);

static struct stage *stage_at(int rank, int size, const struct double_script *how)
{
    struct stage *stage = stage_open(rank, size, how);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    double_forget(rank);
    return stage;
}

static void expect_log(int rank, const char *expected)
{
    cr_assert_str_eq(double_log(rank), expected, "NCCL was asked for\n%s\nand not for\n%s", double_log(rank),
                     expected);
}

Test(nccl_groups, the_place_in_the_list_is_the_key_and_the_rank_inside)
{
    struct stage *stage = stage_at(1, 4, &plain);
    struct dist_group *group = stage_group(stage, (int[]){ 3, 1, 0 }, 3);
    cr_assert_not_null(group);
    struct dist_work *reduce = stage_op(stage, CALL_REDUCE, 8), *send = stage_message(stage, true, 3, 8);
    reduce->group = send->group = group;
    reduce->peer = 2; /* a group rank: world rank 0 */
    backend_nccl.collective(stage->state, reduce);
    backend_nccl.send(stage->state, send); /* to world rank 3, which is rank 0 there */
    cr_assert(stage_await(stage, send, 5) && atomic_load(&reduce->done));
    expect_log(1, "split the world, key 1\n"
                  "{\n  Reduce 8 float32 sum root 2, nothing to write on split 1\n}\n"
                  "{\n  Send 8 float32 to 0 on split 1\n}\n");
    backend_nccl.group_free(stage->state, group);
    stage_close(stage);
    cr_assert_eq(double_open_comms(), 0);
}

Test(nccl_groups, who_is_not_in_the_list_takes_part_all_the_same)
{
    struct stage *stage = stage_at(2, 4, &plain);
    struct dist_group *group = stage_group(stage, (int[]){ 3, 1, 0 }, 3);
    cr_assert_not_null(group);
    cr_assert_null(group->state);
    expect_log(2, "split the world, not in it\n");
    stage_close(stage);
}

Test(nccl_groups, a_freed_group_is_finalized_at_once_and_destroyed_later)
{
    struct stage *stage = stage_at(0, 4, &plain);
    struct dist_group *group = stage_group(stage, (int[]){ 0, 1, 2 }, 3);
    double_forget(0);
    backend_nccl.group_free(stage->state, group);
    expect_log(0, "finalize split 1\n");
    stage_group(stage, (int[]){ 2, 0, 1 }, 3);
    for (int i = 0; i < 5000 && !strstr(double_log(0), "destroy"); i++)
        usleep(1000);
    cr_assert_not_null(strstr(double_log(0), "destroy split 1\n"), "NCCL was asked for\n%s", double_log(0));
    stage_close(stage);
}

Test(nccl_groups, a_group_that_cannot_be_finalized_is_aborted)
{
    struct double_script bad = {
        .spread = true, .split_size = 3, .finalize_fails = "split 1", .with = ncclSystemError
    };
    struct stage *stage = stage_at(0, 4, &bad);
    struct dist_group *group = stage_group(stage, (int[]){ 0, 1, 2 }, 3);
    cr_assert_not_null(group);
    backend_nccl.group_free(stage->state, group);
    double_forget(0);
    stage_close(stage);
    cr_assert_not_null(strstr(double_log(0), "abort split 1\n"), "NCCL was asked for\n%s", double_log(0));
    cr_assert_null(strstr(double_log(0), "destroy split 1"), "it was destroyed");
    cr_assert_eq(double_open_comms(), 0);
}

static void *open_later(void *gate)
{
    usleep(200000);
    mark_open(gate);
    return NULL;
}

static void split_at_work(void)
{
    struct double_script moving = { .spread = true, .moves = true };
    struct stage *stage = stage_at(0, 1, &moving);
    struct event *gate = device_sim.gate_new(stage->gpu.state);
    pthread_t thread;
    mark_follow(gate, stage->stream);
    struct dist_work *op = stage_op(stage, CALL_ALL_REDUCE, 4);
    backend_nccl.collective(stage->state, op);
    cr_assert_eq(pthread_create(&thread, NULL, open_later, gate), 0);
    struct dist_group *group = stage_group(stage, (int[]){ 0 }, 1);
    pthread_join(thread, NULL);
    cr_assert_not_null(group, "NCCL was asked for\n%s", double_log(0));
    cr_assert(stage_await(stage, op, 5));
    backend_nccl.group_free(stage->state, group);
    mark_free(gate);
    stage_close(stage);
}

Test(nccl_groups, a_communicator_is_not_split_while_it_is_at_work)
{
    split_at_work();
}

/* As where the others are on other machines. */
Test(nccl_groups, nor_where_nothing_is_agreed_on_before)
{
    setenv("DIST_NCCL_PLAIN", "1", 1);
    split_at_work();
}

Test(nccl_groups, lists_that_differ_are_seen_by_the_size)
{
    struct double_script other = { .spread = true, .split_size = 4 };
    struct stage *stage = stage_at(0, 4, &other);
    struct dist_group group = { .id = 1, .size = 3, .ranks = (int[]){ 0, 1, 2 } };
    struct dist_work op = { .call = CALL_NEW_GROUP, .group = &stage->world };
    cr_assert_eq(backend_nccl.group_new(stage->state, &op, &group), DIST_ERR_MISMATCH);
    cr_assert_not_null(strstr(op.why.text, "a group of 4 of it, not of 3"), "%s", op.why.text);
    stage_close(stage);
}

/* ---- streams --------------------------------------------------------------------------------------- */

Test(nccl_groups, an_op_waits_for_the_work_before_it_and_lets_its_gate_open_behind_it)
{
    struct double_script moving = { .spread = true, .moves = true };
    struct stage *stage = stage_at(0, 1, &moving);
    struct event *gate = device_sim.gate_new(stage->gpu.state);
    mark_follow(gate, stage->stream); /* the program's stream is busy */
    struct dist_work *op = stage_op(stage, CALL_ALL_REDUCE, 4);
    float *data = op->in.data = op->out.data =
        world_at(&stage->self.world, world_offset(&stage->self.world, op->in.data));
    data[3] = 1;
    backend_nccl.collective(stage->state, op);
    cr_assert_not(stage_await(stage, op, 0.1), "it did not wait for the stream");
    cr_assert(!atomic_load(&op->begun) && !mark_passed(op->gate));
    data[3] = 42;
    mark_open(gate);
    cr_assert(stage_await(stage, op, 5), "it did not begin");
    cr_assert(mark_passed(op->gate) && data[3] == 42);
    mark_free(gate);
    stage_close(stage);
}

Test(nccl_groups, nothing_is_put_behind_a_group_that_nccl_is_not_through_with)
{
    struct double_script slow = { .spread = true, .polls = 50 };
    struct stage *stage = stage_at(0, 2, &slow);
    struct dist_work *op = stage_op(stage, CALL_BROADCAST, 4);
    backend_nccl.collective(stage->state, op);
    cr_assert(stage_await(stage, op, 5) && op->status == DIST_OK);
    stage_close(stage);
}

/* ---- what the backend cannot do -------------------------------------------------------------------------- */

/* An op of the host follows no stream. */
static void on_the_host(struct dist_work *op)
{
    mark_free(op->ready);
    mark_free(op->gate);
    op->gpu = NULL;
    op->ready = NULL;
    op->gate = NULL;
}

Test(nccl_groups, tensors_of_the_host_stay_where_they_are)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work *op = stage_message(stage, true, 1, 4), *sum = stage_op(stage, CALL_ALL_REDUCE, 4);
    on_the_host(op);
    on_the_host(sum);
    cr_assert_eq(backend_nccl.send(stage->state, op), DIST_ERR_ARGUMENT);
    cr_assert_not_null(strstr(op->why.text, "the tensor lies on the host"), "%s", op->why.text);
    cr_assert_eq(backend_nccl.collective(stage->state, sum), DIST_ERR_ARGUMENT);
    expect_log(0, "");
    stage_close(stage);
}

Test(nccl_groups, nobody_receives_from_anybody)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work *op = stage_message(stage, false, DIST_ANY_SOURCE, 4);
    cr_assert_eq(backend_nccl.recv(stage->state, op), DIST_ERR_ARGUMENT);
    cr_assert_not_null(strstr(op->why.text, "name the rank"), "%s", op->why.text);
    expect_log(0, "");
    stage_close(stage);
}
