/*
 * test_nccl_jobs.c: whole jobs over the nccl room: ranks are threads, GPUs are simulated, and a double of NCCL really carries
 * the data (doubles/nccl). It meets sends with receives as NCCL does, by their order, and hangs where NCCL hangs.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#ifndef HAVE_NCCL
Test(nccl_jobs, all_of_it)
{
    cr_skip_test("there is no nccl.h, so the nccl room was not built");
}
#else
#include "conform.h"
#include "doubles/nccl/double.h"

#include <stdlib.h>
#include <string.h>

static void set_up(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    double_play(&(struct double_script){ .moves = true });
}

TestSuite(nccl_jobs, .timeout = 120, .init = set_up);

static void expect_good(const char *name, void (*body)(struct exam *, int, int), int size)
{
    struct exam *exam = exam_new(name, size);
    exam->backend = "nccl";
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

static tensor *counted(int rank, int count)
{
    return tensor_arange(DIST_F32, 100 * rank, 100 * rank + count);
}

static void expect_items(struct exam *exam, tensor *t, double first, const char *what)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        exam_check(exam, tensor_item(t, i) == first + (double)i, "%s: element %d is %g", what, (int)i,
                   tensor_item(t, i));
    tensor_free(t);
}

/* ---- messages ------------------------------------------------------------------------------------- */

static void chain(struct exam *exam, int rank, int size)
{
    tensor *x = counted(0, 5);
    if (rank > 0) {
        int from = dist_recv(x, rank - 1);
        exam_check(exam, from == rank - 1, "recv gave %d", from);
        tensor_add_scalar(x, 10);
    }
    if (rank < size - 1)
        dist_send(x, rank + 1);
    expect_items(exam, x, 10 * rank, "chain");
}

static void exchange(struct exam *exam, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0; round < 5; round++) {
        tensor *mine = counted(rank, 50), *from_left = counted(0, 50), *from_right = counted(0, 50);
        dist_work *works[] = { dist_irecv(from_left, left, .tag = 0), dist_irecv(from_right, right, .tag = 1),
                               dist_isend(mine, right, .tag = 0), dist_isend(mine, left, .tag = 1) };
        dist_wait_all(works, 4);
        expect_items(exam, from_left, 100 * left, "from the left");
        expect_items(exam, from_right, 100 * right, "from the right");
        tensor_free(mine);
    }
}

/* isend, then a blocking receive: on both sides. */
static void crossed(struct exam *exam, int rank, int size)
{
    int partner = rank ^ 1;
    if (partner < size) {
        tensor *mine = counted(rank, 20), *theirs = counted(9, 20);
        dist_work *sending = dist_isend(mine, partner);
        dist_recv(theirs, partner);
        dist_wait(sending);
        expect_items(exam, theirs, 100 * partner, "crossed");
        tensor_free(mine);
    }
    exam_check(exam, true, "none");
}

static void batch(struct exam *exam, int rank, int size)
{
    tensor *in[8], *mine = counted(rank, 9);
    dist_p2p_op ops[16];
    dist_work *works[16];
    for (int i = 0; i < size; i++) {
        in[i] = counted(0, 9);
        ops[2 * i] = (dist_p2p_op){ DIST_ISEND, mine, i, 0, NULL };
        ops[2 * i + 1] = (dist_p2p_op){ DIST_IRECV, in[i], i, 0, NULL };
    }
    exam_check(exam, dist_batch_isend_irecv(ops, 2 * size, works) == 0, "the batch failed");
    dist_wait_all(works, 2 * size);
    for (int i = 0; i < size; i++)
        expect_items(exam, in[i], 100 * i, "batch");
    tensor_free(mine);
}

static void polled(struct exam *exam, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    tensor *mine = counted(rank, 6), *theirs = counted(0, 6);
    dist_work *send = dist_isend(mine, right), *recv = dist_irecv(theirs, left);
    while (!dist_is_completed(recv) || !dist_is_completed(send))
        ;
    exam_check(exam, dist_wait(recv) == left && dist_wait(send) == 0, "dist_wait gave something else");
    expect_items(exam, theirs, 100 * left, "polled");
    tensor_free(mine);
}

Test(nccl_jobs, messages)
{
    expect_good("chain", chain, 4);
    expect_good("exchange", exchange, 4);
    expect_good("exchange", exchange, 2);
    expect_good("crossed", crossed, 4);
    expect_good("batch", batch, 3);
    expect_good("polled", polled, 3);
}

/* ---- collectives ---------------------------------------------------------------------------------- */

static void collectives(struct exam *exam, int rank, int size)
{
    tensor *sum = counted(rank, 4), *avg = counted(rank, 4), *all = counted(0, 3 * size),
           *mine = counted(rank, 3);
    dist_work *work = dist_all_reduce(sum, .async_op = true);
    dist_all_reduce(avg, .op = DIST_AVG);
    dist_all_gather(all, mine);
    dist_wait(work);
    for (int i = 0; i < 4; i++) {
        double expected = 50.0 * size * (size - 1) + i * size;
        exam_check(exam, tensor_item(sum, i) == expected, "sum %g", tensor_item(sum, i));
        exam_check(exam, tensor_item(avg, i) == expected / size, "average %g", tensor_item(avg, i));
    }
    for (int i = 0; i < 3 * size; i++)
        exam_check(exam, tensor_item(all, i) == 100 * (i / 3) + i % 3, "all_gather %g", tensor_item(all, i));
    tensor *from_last = rank == size - 1 ? counted(7, 4) : counted(0, 4);
    dist_broadcast(from_last, size - 1);
    expect_items(exam, from_last, 700, "broadcast");
    dist_barrier();
    exam_check(exam, dist_monitored_barrier(.timeout = 30) == 0, "the monitored barrier failed");
    tensor_free(sum);
    tensor_free(avg);
    tensor_free(all);
    tensor_free(mine);
}

static void blocks(struct exam *exam, int rank, int size)
{
    tensor *in = counted(rank, 2 * size), *out = counted(0, 2 * size), *small = counted(rank, 2);
    dist_all_to_all(out, in);
    for (int i = 0; i < 2 * size; i++)
        exam_check(exam, tensor_item(out, i) == 100 * (i / 2) + 2 * rank + i % 2, "all_to_all %g",
                   tensor_item(out, i));
    dist_reduce_scatter(small, in);
    for (int i = 0; i < 2; i++) {
        double expected = 50.0 * size * (size - 1) + size * (2 * rank + i);
        exam_check(exam, tensor_item(small, i) == expected, "reduce_scatter %g", tensor_item(small, i));
    }
    dist_scatter(small, rank == 1 ? in : NULL, 1);
    exam_check(exam, tensor_item(small, 1) == 100 + 2 * rank + 1, "scatter %g", tensor_item(small, 1));
    dist_gather(small, rank == 0 ? out : NULL, 0);
    for (int i = 0; rank == 0 && i < 2 * size; i++)
        exam_check(exam, tensor_item(out, i) == 100 + i, "gather %g", tensor_item(out, i));
    dist_reduce(small, 1);
    double expected = rank == 1 ? 100 * size + size * (size - 1) : 100 + 2 * rank;
    exam_check(exam, tensor_item(small, 0) == expected, "reduce %g, not %g", tensor_item(small, 0), expected);
    tensor_free(in);
    tensor_free(out);
    tensor_free(small);
}

static void groups(struct exam *exam, int rank, int size)
{
    int odd[4], count = 0;
    for (int i = size - 1; i >= 0; i--)
        if (i % 2 == 1)
            odd[count++] = i;
    dist_group *group = dist_new_group(odd, count);
    tensor *x = counted(rank, 3);
    if (rank % 2 == 1) {
        dist_broadcast(x, odd[1], .group = group);
        exam_check(exam, tensor_item(x, 0) == 100 * odd[1], "broadcast in a group: %g", tensor_item(x, 0));
        tensor_add_scalar(x, rank);
        tensor *y = counted(0, 3);
        int to = odd[(dist_get_rank(.group = group) + 1) % count];
        int from = odd[(dist_get_rank(.group = group) + count - 1) % count];
        dist_work *works[] = { dist_isend(x, to, .group = group), dist_irecv(y, from, .group = group) };
        dist_wait_all(works, 2);
        expect_items(exam, y, 100 * odd[1] + from, "a ring in a group");
    }
    dist_group_free(group);
    dist_all_reduce(x, .op = DIST_MIN);
    exam_check(exam, tensor_item(x, 0) == 0, "all_reduce behind a group: %g", tensor_item(x, 0));
    tensor_free(x);
}

Test(nccl_jobs, collectives)
{
    expect_good("collectives", collectives, 4);
    expect_good("collectives", collectives, 1);
    expect_good("blocks", blocks, 3);
    expect_good("groups", groups, 4);
    expect_good("groups", groups, 7);
}

Test(nccl_jobs, with_an_older_nccl)
{
    double_play(&(struct double_script){ .moves = true, .old = true });
    expect_good("blocks", blocks, 3);
}

Test(nccl_jobs, all_of_it_in_checked_mode)
{
    setenv("DIST_CHECK", "1", 1);
    expect_good("chain", chain, 4);
    expect_good("exchange", exchange, 4);
    expect_good("exchange", exchange, 2);
    expect_good("crossed", crossed, 4);
    expect_good("batch", batch, 3);
    expect_good("polled", polled, 3);
    expect_good("collectives", collectives, 4);
    expect_good("blocks", blocks, 3);
    expect_good("groups", groups, 7);
}
#endif
