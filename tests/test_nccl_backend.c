/*
 * test_nccl_backend.c: which calls of NCCL does the nccl backend make, in which order, with which arguments?
 *
 * There is one rank of a job that is only thought, on a simulated GPU, and a double of NCCL that writes down what it is
 * asked for (doubles/nccl).
 */
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

TestSuite(nccl_backend, .timeout = 60, .init = set_up);

/* A stage whose opening was forgotten again. */
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

/* Start a collective, and see which call it is. */
static void expect_call(struct stage *stage, struct dist_work *op, const char *expected)
{
    char text[200];
    double_forget(stage->self.env.rank);
    cr_assert_eq(backend_nccl.collective(stage->state, op), DIST_OK, "%s", op->why.text);
    snprintf(text, sizeof text, "{\n  %s\n}\n", expected);
    expect_log(stage->self.env.rank, text);
    cr_assert(stage_await(stage, op, 5), "%s does not end", expected);
}

Test(nccl_backend, opens_with_one_communicator_that_does_not_block_and_connects_all)
{
    struct stage *stage = stage_open(1, 4, &plain);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    expect_log(1, "unique id from 10.0.0.1:29500\ninit rank 1 of 4\n"
                  "{\n  Send 1 uint8 to 0 on the world\n  Recv 1 uint8 from 0 on the world\n"
                  "  Send 1 uint8 to 2 on the world\n  Recv 1 uint8 from 2 on the world\n"
                  "  Send 1 uint8 to 3 on the world\n  Recv 1 uint8 from 3 on the world\n}\n");
    double_forget(1);
    backend_nccl.leave(stage->state);
    backend_nccl.close(stage->state);
    expect_log(1, "finalize the world\ndestroy the world\n");
    cr_assert_eq(double_open_comms(), 0);
}

Test(nccl_backend, connects_later_if_asked_to)
{
    setenv("DIST_CONNECT", "lazy", 1);
    struct stage *stage = stage_open(1, 4, &plain);
    cr_assert_not_null(stage->state);
    expect_log(1, "unique id from 10.0.0.1:29500\ninit rank 1 of 4\n");
    stage_close(stage);
}

Test(nccl_backend, a_rank_alone_makes_the_id_itself)
{
    struct double_script alone = { .split_size = 1 };
    struct stage *stage = stage_open(0, 1, &alone);
    cr_assert_not_null(stage->state, "open failed: %s", stage->why.text);
    expect_log(0, "unique id\ninit rank 0 of 1\n");
    stage_close(stage);
}

/* ---- messages ---------------------------------------------------------------------------------- */

Test(nccl_backend, messages_are_put_off_and_go_together_when_somebody_asks)
{
    struct stage *stage = stage_at(1, 4, &plain);
    struct dist_work *a = stage_message(stage, true, 2, 7), *b = stage_message(stage, false, 0, 5);
    b->type = DIST_BF16;
    backend_nccl.send(stage->state, a);
    backend_nccl.recv(stage->state, b);
    expect_log(1, "");
    cr_assert_eq(atomic_load(&a->begun) + atomic_load(&b->begun), 0, "nothing has begun");
    cr_assert(stage_await(stage, a, 5) && stage_await(stage, b, 5), "they do not end");
    expect_log(1, "{\n  Send 7 float32 to 2 on the world\n  Recv 5 bfloat16 from 0 on the world\n}\n");
    cr_assert(atomic_load(&a->begun) && a->status == DIST_OK && b->from == 0 && a->from == -1);
    stage_close(stage);
}

Test(nccl_backend, what_comes_after_a_wait_is_another_group)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work *a = stage_message(stage, true, 1, 3), *b = stage_message(stage, false, 1, 3);
    backend_nccl.send(stage->state, a);
    backend_nccl.wait(stage->state, a);
    backend_nccl.recv(stage->state, b);
    cr_assert(stage_await(stage, b, 5));
    expect_log(0, "{\n  Send 3 float32 to 1 on the world\n}\n{\n  Recv 3 float32 from 1 on the world\n}\n");
    stage_close(stage);
}

Test(nccl_backend, a_host_that_waits_for_a_stream_does_not_part_them)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work *a = stage_message(stage, false, 1, 3), *b = stage_message(stage, true, 1, 3);
    backend_nccl.recv(stage->state, a);
    backend_nccl.note(stage->state, NULL);
    expect_log(0, "");
    backend_nccl.send(stage->state, b);
    cr_assert(stage_await(stage, a, 5) && stage_await(stage, b, 5));
    expect_log(0, "{\n  Recv 3 float32 from 1 on the world\n  Send 3 float32 to 1 on the world\n}\n");
    stage_close(stage);
}

Test(nccl_backend, a_collective_goes_behind_the_messages_before_it)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work *a = stage_message(stage, true, 1, 3), *b = stage_op(stage, CALL_ALL_REDUCE, 4);
    backend_nccl.send(stage->state, a);
    backend_nccl.collective(stage->state, b);
    expect_log(0, "{\n  Send 3 float32 to 1 on the world\n}\n{\n  AllReduce 4 float32 sum on the world\n}\n");
    cr_assert(stage_await(stage, b, 5) && atomic_load(&a->done));
    stage_close(stage);
}

Test(nccl_backend, who_asks_again_and_again_for_one_lets_the_others_begin)
{
    struct double_script hanging = { .spread = true, .hangs = true };
    setenv("DIST_CONNECT", "lazy", 1);
    struct stage *stage = stage_at(0, 2, &hanging);
    struct dist_work *a = stage_message(stage, true, 1, 3), *b = stage_message(stage, false, 1, 4);
    backend_nccl.send(stage->state, a);
    backend_nccl.wait(stage->state, a);
    double_forget(0);
    backend_nccl.recv(stage->state, b);
    for (int i = 0; i < 10; i++)
        cr_assert_not(backend_nccl.test(stage->state, a));
    expect_log(0, "");
    for (int i = 0; i < 10; i++)
        cr_assert_not(backend_nccl.test(stage->state, a));
    expect_log(0, "{\n  Recv 4 float32 from 1 on the world\n}\n");
}

/* ---- collectives --------------------------------------------------------------------------------- */

Test(nccl_backend, each_collective_is_ncclS_own)
{
    struct stage *stage = stage_at(1, 4, &plain);
    static const struct {
        enum call call;
        const char *expected;
    } calls[] = {
        { CALL_BROADCAST, "Broadcast 6 float32 root 2 on the world" },
        { CALL_REDUCE, "Reduce 6 float32 sum root 2, nothing to write on the world" },
        { CALL_ALL_REDUCE, "AllReduce 6 float32 sum on the world" },
        { CALL_SCATTER, "Scatter 6 float32 root 2 on the world" },
        { CALL_GATHER, "Gather 6 float32 root 2 on the world" },
        { CALL_ALL_GATHER, "AllGather 6 float32 on the world" },
        { CALL_REDUCE_SCATTER, "ReduceScatter 6 float32 sum on the world" },
        { CALL_ALL_TO_ALL, "AlltoAll 6 float32 on the world" },
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct dist_work *op = stage_op(stage, calls[i].call, 6);
        op->peer = 2;
        expect_call(stage, op, calls[i].expected);
    }
    stage_close(stage);
}

Test(nccl_backend, the_root_of_a_reduce_has_where_to_write)
{
    struct stage *stage = stage_at(2, 4, &plain);
    struct dist_work *op = stage_op(stage, CALL_REDUCE, 6);
    op->peer = 2;
    expect_call(stage, op, "Reduce 6 float32 sum root 2 on the world");
    stage_close(stage);
}

Test(nccl_backend, types_and_reductions_have_their_names)
{
    static const char *const types[] = { "float32", "float64", "float16", "bfloat16",
                                         "int32",   "int64",   "uint8" };
    static const char *const ops[] = { "sum", "avg", "prod", "min", "max" };
    struct stage *stage = stage_at(0, 2, &plain);
    for (int type = DIST_F32; type <= DIST_U8; type++)
        for (int op = DIST_SUM; op <= DIST_MAX; op++) {
            struct dist_work *work = stage_op(stage, CALL_ALL_REDUCE, 2);
            char expected[80];
            work->type = (enum dist_type)type;
            work->op = (enum dist_op)op;
            snprintf(expected, sizeof expected, "AllReduce 2 %s %s on the world", types[type], ops[op]);
            expect_call(stage, work, expected);
        }
    stage_close(stage);
}

Test(nccl_backend, an_older_nccl_gets_sends_and_receives)
{
    struct double_script old = { .spread = true, .old = true };
    struct stage *stage = stage_at(1, 2, &old);
    struct dist_work *op = stage_op(stage, CALL_ALL_TO_ALL, 3);
    expect_call(stage, op,
                "Send 3 float32 to 0 on the world\n  Recv 3 float32 from 0 on the world\n"
                "  Send 3 float32 to 1 on the world\n  Recv 3 float32 from 1 on the world");
    op = stage_op(stage, CALL_GATHER, 3);
    op->peer = 1;
    expect_call(stage, op,
                "Recv 3 float32 from 0 on the world\n  Send 3 float32 to 1 on the world\n"
                "  Recv 3 float32 from 1 on the world");
    op = stage_op(stage, CALL_SCATTER, 3);
    op->peer = 0;
    expect_call(stage, op, "Recv 3 float32 from 0 on the world");
    stage_close(stage);
}

Test(nccl_backend, a_barrier_lets_the_host_wait)
{
    struct stage *stage = stage_at(0, 2, &plain);
    struct dist_work op = { .call = CALL_BARRIER, .group = &stage->world };
    cr_assert_eq(backend_nccl.collective(stage->state, &op), DIST_OK, "%s", op.why.text);
    expect_log(0, "{\n  AllReduce 1 int32 sum on the world\n}\n");
    cr_assert(atomic_load(&op.done));
    stage_close(stage);
}
