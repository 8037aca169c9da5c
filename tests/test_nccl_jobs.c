/*
 * test_nccl_jobs.c: whole jobs over the nccl backend: ranks are threads, GPUs are simulated, and a double of NCCL really carries
 * the data (doubles/nccl). It meets sends with receives as NCCL does, by their order, and hangs where NCCL hangs.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "conform.h"
#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"

#include <stdlib.h>
#include <string.h>

TestSuite(nccl_jobs, .timeout = 120, .init = told_play);

/* ---- messages ------------------------------------------------------------------------------------- */

static void chain(struct exam *exam, int rank, int size)
{
    tensor *x = told_counted(0, 5);
    if (rank > 0) {
        int from = dist_recv(x, rank - 1);
        exam_check(exam, from == rank - 1, "recv gave %d", from);
        tensor_add_scalar(x, 10);
    }
    if (rank < size - 1)
        dist_send(x, rank + 1);
    told_items(exam, x, 10 * rank, "chain");
}

static void exchange(struct exam *exam, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0; round < 5; round++) {
        tensor *mine = told_counted(rank, 50), *from_left = told_counted(0, 50),
               *from_right = told_counted(0, 50);
        dist_work *works[] = { dist_irecv(from_left, left, .tag = 0), dist_irecv(from_right, right, .tag = 1),
                               dist_isend(mine, right, .tag = 0), dist_isend(mine, left, .tag = 1) };
        dist_wait_all(works, 4);
        told_items(exam, from_left, 100 * left, "from the left");
        told_items(exam, from_right, 100 * right, "from the right");
        tensor_free(mine);
    }
}

/* isend, then a blocking receive: on both sides. */
static void crossed(struct exam *exam, int rank, int size)
{
    int partner = rank ^ 1;
    if (partner < size) {
        tensor *mine = told_counted(rank, 20), *theirs = told_counted(9, 20);
        dist_work *sending = dist_isend(mine, partner);
        dist_recv(theirs, partner);
        dist_wait(sending);
        told_items(exam, theirs, 100 * partner, "crossed");
        tensor_free(mine);
    }
    exam_check(exam, true, "none");
}

static void batch(struct exam *exam, int rank, int size)
{
    tensor *in[8], *mine = told_counted(rank, 9);
    dist_p2p_op ops[16];
    dist_work *works[16];
    for (int i = 0; i < size; i++) {
        in[i] = told_counted(0, 9);
        ops[2 * i] = (dist_p2p_op){ DIST_ISEND, mine, i, 0, NULL };
        ops[2 * i + 1] = (dist_p2p_op){ DIST_IRECV, in[i], i, 0, NULL };
    }
    exam_check(exam, dist_batch_isend_irecv(ops, 2 * size, works) == 0, "the batch failed");
    dist_wait_all(works, 2 * size);
    for (int i = 0; i < size; i++)
        told_items(exam, in[i], 100 * i, "batch");
    tensor_free(mine);
}

static void polled(struct exam *exam, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    tensor *mine = told_counted(rank, 6), *theirs = told_counted(0, 6);
    dist_work *send = dist_isend(mine, right), *recv = dist_irecv(theirs, left);
    while (!dist_is_completed(recv) || !dist_is_completed(send))
        ;
    exam_check(exam, dist_wait(recv) == left && dist_wait(send) == 0, "dist_wait gave something else");
    told_items(exam, theirs, 100 * left, "polled");
    tensor_free(mine);
}

/* A look at something else between a receive and the send that its peer needs first; then all that was put off. */
static void looked(struct exam *exam, int rank, int size)
{
    int partner = rank ^ 1;
    if (partner < size) {
        tensor *mine = told_counted(rank, 8), *theirs = told_counted(9, 8), *other = told_counted(5, 2);
        dist_work *works[2] = { dist_irecv(theirs, partner) };
        exam_check(exam, tensor_item(other, 0) == 500, "another tensor has changed");
        works[1] = dist_isend(mine, partner);
        dist_synchronize();
        exam_check(exam, dist_is_completed(works[0]) && dist_is_completed(works[1]),
                   "dist_synchronize did not wait");
        dist_wait_all(works, 2);
        told_items(exam, theirs, 100 * partner, "looked");
        tensor_free(mine);
        tensor_free(other);
    }
    exam_check(exam, true, "none");
}

static void expect_messages(void)
{
    told_good("looked", looked, 4);
    told_good("chain", chain, 4);
    told_good("exchange", exchange, 4);
    told_good("exchange", exchange, 2);
    told_good("crossed", crossed, 4);
    told_good("batch", batch, 3);
    told_good("polled", polled, 3);
}

Test(nccl_jobs, messages)
{
    expect_messages();
}

Test(nccl_jobs, messages_in_checked_mode)
{
    setenv("DIST_CHECK", "1", 1);
    expect_messages();
}

/* As between machines: NCCL gets each call as it comes. */
Test(nccl_jobs, messages_by_nccl_itself)
{
    setenv("DIST_NCCL_PLAIN", "1", 1);
    expect_messages();
    setenv("DIST_CHECK", "1", 1);
    expect_messages();
}
