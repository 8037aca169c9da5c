/* test_nccl_fail.c: does the nccl backend end in bounded time, with one clear sentence, whatever happens? As test_nccl_backend.c. */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/stage.h"

#include <stdlib.h>
#include <string.h>

static const struct double_script plain = { .spread = true, .split_size = 2 };

/* The others are on other machines: so what this rank asks for goes to NCCL as it is. */
static void set_up(void)
{
    setenv("MASTER_ADDR", "10.0.0.1", 1);
}

TestSuite(nccl_fail, .timeout = 60, .init = set_up);

static void expect_words(const char *why, const char *words)
{
    cr_assert_not_null(strstr(why, words), "\"%s\" does not say \"%s\"", why, words);
}

static void expect_open(int rank, int size, const struct double_script *how, int status, const char *words)
{
    struct stage *stage = stage_open(rank, size, how);
    cr_assert_null(stage->state, "it opened");
    cr_assert_eq(stage->status, status, "status %d: %s", stage->status, stage->why.text);
    expect_words(stage->why.text, words);
    cr_assert_eq(double_open_comms(), 0, "a communicator is left");
}

/* ---- joining ---------------------------------------------------------------------------------- */

Test(nccl_fail, a_slow_start_is_none)
{
    struct double_script slow = { .spread = true, .init_seconds = 0.2 };
    struct stage *stage = stage_open(0, 2, &slow);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    stage_close(stage);
}

Test(nccl_fail, a_start_that_never_comes_to_an_end_is_given_up)
{
    struct double_script never = { .spread = true, .init_seconds = 1000 };
    setenv("DIST_INIT_TIMEOUT", "1", 1);
    expect_open(0, 2, &never, DIST_ERR_TIMEOUT, "could not bring all 2 ranks together within 1 s");
}

Test(nccl_fail, rank_0_that_never_comes_is_named)
{
    struct double_script alone = { .split_size = 2 }; /* on one machine */
    setenv("DIST_INIT_TIMEOUT", "1", 1);
    expect_open(1, 2, &alone, DIST_ERR_TIMEOUT, "rank 0 has not come within 1 s");
}

Test(nccl_fail, ranks_that_share_a_gpu_are_named_and_told_what_to_do)
{
    struct double_script shared = {
        .spread = true,
        .fails = "CommInitRankConfig",
        .with = ncclInvalidUsage,
        .last_error = "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000"
    };
    expect_open(1, 2, &shared, DIST_ERR_ENVIRONMENT, "ranks 0 and 1 share a GPU");
    expect_open(1, 2, &shared, DIST_ERR_ENVIRONMENT, "BACKEND=cuda, or set DIST_NCCL_SHARE_GPU=1");
}

Test(nccl_fail, ranks_that_share_a_gpu_are_told_what_to_do_by_a_newer_nccl_too)
{
    struct double_script shared = { .spread = true,
                                    .fails = "CommInitRankConfig",
                                    .with = ncclInvalidUsage,
                                    .last_error =
                                        "Multiple Ranks are using the same GPU/Partition. Set "
                                        "NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration." };
    expect_open(1, 2, &shared, DIST_ERR_ENVIRONMENT, "several ranks share a GPU");
    expect_open(1, 2, &shared, DIST_ERR_ENVIRONMENT, "BACKEND=cuda, or set DIST_NCCL_SHARE_GPU=1");
}

Test(nccl_fail, an_error_at_the_start_is_told_in_nccls_words)
{
    struct double_script bad = {
        .spread = true, .fails = "GetUniqueId", .with = ncclUnhandledCudaError, .last_error = "no luck"
    };
    expect_open(0, 2, &bad, DIST_ERR_SYSTEM, "NCCL says \"unhandled cuda error\": no luck");
}

Test(nccl_fail, settings_that_make_no_sense)
{
    setenv("DIST_TIMEOUT", "soon", 1);
    expect_open(0, 2, &plain, DIST_ERR_ENVIRONMENT, "DIST_TIMEOUT is \"soon\"");
}

Test(nccl_fail, sharing_a_gpu_gives_each_rank_a_host_of_its_own)
{
    setenv("DIST_NCCL_SHARE_GPU", "1", 1);
    struct stage *stage = stage_open(1, 2, &plain);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    cr_assert_str_eq(getenv("NCCL_HOSTID"), "rank1");
    cr_assert_str_eq(getenv("NCCL_NET"), "Socket");
    cr_assert_str_eq(getenv("NCCL_P2P_DISABLE"), "1");
    cr_assert_str_eq(getenv("NCCL_SHM_DISABLE"), "1");
    stage_close(stage);
}

/* ---- under way ----------------------------------------------------------------------------------- */

static struct stage *started(const struct double_script *how, struct dist_work **op)
{
    setenv("DIST_CONNECT", "lazy", 1);
    struct stage *stage = stage_open(0, 2, how);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    *op = stage_op(stage, CALL_ALL_REDUCE, 4);
    backend_nccl.collective(stage->state, *op);
    return stage;
}

static void expect_end(struct stage *stage, struct dist_work *op, int status, const char *words)
{
    cr_assert(stage_await(stage, op, 20), "it does not end");
    cr_assert_eq(op->status, status, "status %d: %s", op->status, op->why.text);
    expect_words(op->why.text, words);
    cr_assert(mark_passed(op->gate), "its gate is shut");
    cr_assert_eq(double_open_comms(), 0, "a communicator was not aborted");
    struct dist_work *next = stage_message(stage, true, 1, 2);
    cr_assert_eq(backend_nccl.send(stage->state, next), status, "the backend goes on");
    stage_close(stage);
}

Test(nccl_fail, an_error_that_nccl_finds_later_aborts_everything)
{
    struct double_script later = { .spread = true, .hangs = true, .later = ncclSystemError };
    struct dist_work *op;
    struct stage *stage = started(&later, &op);
    expect_end(stage, op, DIST_ERR_SYSTEM, "NCCL says \"some error\"");
}

Test(nccl_fail, a_rank_on_another_machine_that_has_gone)
{
    struct double_script later = { .spread = true, .hangs = true, .later = ncclRemoteError };
    struct dist_work *op;
    struct stage *stage = started(&later, &op);
    expect_end(stage, op, DIST_ERR_PEER_LOST, "NCCL has lost another rank");
}

Test(nccl_fail, a_kernel_that_never_ends_runs_out_of_time)
{
    struct double_script hanging = { .spread = true, .hangs = true };
    struct dist_work *op;
    setenv("DIST_TIMEOUT", "1", 1);
    struct stage *stage = started(&hanging, &op);
    expect_end(stage, op, DIST_ERR_TIMEOUT, "NCCL has not ended it within 1 s");
}

/* An abort waits for the stream, and each kernel stands behind that of another communicator. */
Test(nccl_fail, communicators_whose_kernels_stand_behind_each_other_are_aborted_together)
{
    struct double_script hanging = { .spread = true, .hangs = true, .split_size = 2 };
    struct dist_work *op;
    setenv("DIST_TIMEOUT", "1", 1);
    setenv("DIST_CONNECT", "lazy", 1);
    struct stage *stage = stage_open(0, 2, &hanging);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    struct dist_group *groups[2];
    for (int i = 0; i < 2; i++)
        cr_assert_not_null(groups[i] = stage_group(stage, (int[]){ 0, 1 }, 2));
    for (int i = 0; i < 6; i++) {
        op = stage_op(stage, CALL_ALL_REDUCE, 4);
        op->group = i % 3 == 1 ? &stage->world : groups[i % 3 / 2];
        backend_nccl.collective(stage->state, op);
    }
    expect_end(stage, op, DIST_ERR_TIMEOUT, "NCCL has not ended it within 1 s");
}

Test(nccl_fail, a_host_that_computes_does_not_run_out_of_time)
{
    struct double_script hanging = { .spread = true, .hangs = true };
    struct dist_work *op;
    setenv("DIST_TIMEOUT", "2", 1);
    struct stage *stage = started(&hanging, &op);
    cr_assert_not(backend_nccl.test(stage->state, op));
    for (double end = dist_time() + 2.5; dist_time() < end;)
        ;
    cr_assert_not(backend_nccl.test(stage->state, op), "it counted the time between two looks");
}

Test(nccl_fail, a_barrier_that_never_ends_runs_out_of_time)
{
    struct double_script hanging = { .spread = true, .hangs = true };
    setenv("DIST_TIMEOUT", "1", 1);
    setenv("DIST_CONNECT", "lazy", 1);
    struct stage *stage = stage_open(0, 2, &hanging);
    struct dist_work op = { .call = CALL_BARRIER, .group = &stage->world };
    cr_assert_eq(backend_nccl.collective(stage->state, &op), DIST_ERR_TIMEOUT);
    expect_words(op.why.text, "NCCL has not ended it within 1 s");
    stage_close(stage);
}

Test(nccl_fail, when_the_job_fails_elsewhere_nobody_waits_for_nccl)
{
    struct double_script hanging = { .spread = true, .hangs = true };
    struct dist_work *op;
    struct stage *stage = started(&hanging, &op);
    struct dist_work *put_off = stage_message(stage, true, 1, 2);
    backend_nccl.send(stage->state, put_off);
    world_fail(&stage->self.world, 1, END_EXIT, 3, "");
    cr_assert(stage_await(stage, put_off, 5) && put_off->status == DIST_ERR_PEER_LOST);
    expect_end(stage, op, DIST_ERR_PEER_LOST, "rank 1 ended with exit status 3");
}

Test(nccl_fail, a_call_that_nccl_refuses)
{
    struct double_script bad = {
        .spread = true, .fails = "AllReduce", .with = ncclInvalidArgument, .last_error = "a strange count"
    };
    struct dist_work *op;
    struct stage *stage = started(&bad, &op);
    expect_end(stage, op, DIST_ERR_SYSTEM, "a strange count");
}

Test(nccl_fail, a_group_that_nccl_refuses)
{
    struct double_script bad = { .spread = true, .fails = "GroupEnd", .with = ncclInternalError };
    struct dist_work *op;
    struct stage *stage = started(&bad, &op);
    expect_end(stage, op, DIST_ERR_SYSTEM, "NCCL says");
}

Test(nccl_fail, a_split_that_nccl_refuses)
{
    struct double_script bad = { .spread = true, .fails = "CommSplit", .with = ncclInternalError };
    struct stage *stage = stage_open(0, 2, &bad);
    struct dist_group group = { .id = 1, .size = 1, .ranks = (int[]){ 0 } };
    struct dist_work op = { .call = CALL_NEW_GROUP, .group = &stage->world };
    cr_assert_eq(backend_nccl.group_new(stage->state, &op, &group), DIST_ERR_SYSTEM);
    expect_words(op.why.text, "NCCL says");
    stage_close(stage);
}
