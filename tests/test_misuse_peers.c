/* test_misuse_peers.c: mistakes that only two ranks together can see: they disagree, or one is not there. */
#include "misuse_test.h"

#include <string.h>
#include <unistd.h>

/* Both ends of a message see that they disagree; whichever is first tells. */

/* ---- messages ---------------------------------------------------------------------------- */

MISUSE(receive_of_another_type, 2, DIST_ERR_MISMATCH, NULL, "receive", "make the two calls agree")
{
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_recv(tensor_zeros(DIST_I32, 4), 0);
}

MISUSE(receive_with_too_little_room, 2, DIST_ERR_MISMATCH, NULL, "receive", "make the two calls agree")
{
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_recv(tensor_zeros(DIST_F32, 3), 0);
}

MISUSE(receive_with_too_much_room, 2, DIST_ERR_MISMATCH, NULL, "receive", "make the two calls agree")
{
    if (rank == 0)
        dist_send(tensor_zeros(DIST_F64, 100000), 1);
    else
        dist_recv(tensor_zeros(DIST_F64, 100001), 0);
}

MISUSE(batches_in_another_order, 2, DIST_ERR_MISMATCH, "dist_batch_isend_irecv", "make the two calls agree",
       "see: chapter 06, 'Two calls that do not find each other'.")
{
    dist_work *works[4];
    tensor *key = tensor_zeros(DIST_F32, 2);
    dist_p2p_op ops[] = { { DIST_ISEND, key, 1 - rank, .tag = 0 },
                          { DIST_ISEND, x, 1 - rank, .tag = 0 },
                          { DIST_IRECV, tensor_zeros(DIST_F32, 4), 1 - rank, .tag = 0 },
                          { DIST_IRECV, tensor_zeros(DIST_F32, 2), 1 - rank, .tag = 0 } };
    dist_batch_isend_irecv(ops, 4, works);
    dist_wait_all(works, 4);
}

MISUSE(a_message_of_the_same_bytes_and_another_type, 2, DIST_ERR_MISMATCH, NULL, "receive",
       "make the two calls agree")
{
    tensor *half = tensor_zeros(rank == 0 ? DIST_F16 : DIST_BF16, 8);
    if (rank == 0)
        dist_wait(dist_irecv(half, DIST_ANY_SOURCE));
    else
        dist_wait(dist_isend(half, 0));
}

MISUSE(send_to_oneself_without_a_receive, 2, DIST_ERR_DEADLOCK, "dist_send", "rank 1", "itself")
{
    if (rank == 1)
        dist_send(x, 1);
}

MISUSE(receive_from_oneself_without_a_send, 1, DIST_ERR_DEADLOCK, "dist_recv", "rank 0", "itself")
{
    dist_recv(x, 0);
}

/* ---- collectives ----------------------------------------------------------------------------- */

MISUSE(different_collectives, 3, DIST_ERR_MISMATCH, NULL, "calls dist_all_reduce", "calls dist_broadcast")
{
    if (rank == 1)
        dist_broadcast(x, 0);
    else
        dist_all_reduce(x);
}

MISUSE(different_collectives_on_a_group, 3, DIST_ERR_MISMATCH, NULL, "calls dist_barrier",
       "calls dist_reduce")
{
    dist_group *group = dist_new_group(((int[]){ 2, 0 }), 2);
    if (rank == 0)
        dist_barrier(.group = group);
    if (rank == 2)
        dist_reduce(x, 0, .group = group);
}

MISUSE(different_roots, 3, DIST_ERR_MISMATCH, "dist_broadcast", "root", "rank 0", "rank 2")
{
    dist_broadcast(x, rank == 2 ? 2 : 0);
}

MISUSE(different_roots_of_a_gather, 2, DIST_ERR_MISMATCH, "dist_gather", "root")
{
    dist_gather(x, tensor_zeros(DIST_F32, 8), rank);
}

MISUSE(different_reductions, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "SUM", "MAX")
{
    dist_all_reduce(x, .op = rank == 0 ? DIST_SUM : DIST_MAX);
}

MISUSE(different_types, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "F32", "I64")
{
    dist_all_reduce(rank == 0 ? x : tensor_zeros(DIST_I64, 4));
}

MISUSE(different_counts, 4, DIST_ERR_MISMATCH, "dist_all_reduce", "4 elements", "5 elements")
{
    dist_all_reduce(rank == 3 ? tensor_zeros(DIST_F32, 5) : x);
}

MISUSE(different_long_counts_asynchronously, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "200000 elements",
       "200001 elements")
{
    dist_wait(dist_all_reduce(tensor_zeros(DIST_F32, 200000 + rank), .async_op = true));
}

MISUSE(different_lists_of_a_group, 3, DIST_ERR_MISMATCH, "dist_new_group", "list")
{
    dist_new_group(((int[]){ 0, rank == 0 ? 1 : 2 }), 2);
}

MISUSE(a_group_of_the_same_ranks_in_another_order, 2, DIST_ERR_MISMATCH, "dist_new_group",
       "lists other ranks, or in another order", "lists these")
{
    dist_new_group(((int[]){ rank, 1 - rank }), 2);
}

/* ---- somebody is not there --------------------------------------------------------------------- */

MISUSE(receive_from_a_rank_that_has_left, 2, DIST_ERR_PEER_LOST, "dist_recv", "rank 1", "rank 0", "left")
{
    if (rank == 1)
        dist_recv(x, 0);
}

MISUSE(send_to_a_rank_that_has_left, 2, DIST_ERR_PEER_LOST, "dist_send", "rank 0", "rank 1", "left")
{
    if (rank == 0)
        dist_send(x, 1);
}

MISUSE(a_collective_without_one_of_its_ranks, 3, DIST_ERR_PEER_LOST, "dist_all_reduce", "rank ", "rank 2",
       "left")
{
    if (rank < 2)
        dist_all_reduce(x);
}

MISUSE(any_source_when_all_have_left, 3, DIST_ERR_PEER_LOST, "dist_recv", "rank 2", "left")
{
    if (rank == 2)
        dist_recv(x, DIST_ANY_SOURCE);
}

MISUSE(a_monitored_barrier_that_one_misses, 3, DIST_ERR_TIMEOUT, "dist_monitored_barrier", "rank ",
       "rank 1 did not come")
{
    if (rank == 1)
        sleep(3);
    else
        dist_monitored_barrier(.timeout = 0.2);
}

MISUSE(a_monitored_barrier_of_no_time, 2, DIST_ERR_ARGUMENT, "dist_monitored_barrier", "rank ",
       "timeout is -1")
{
    dist_monitored_barrier(.timeout = -1);
}

MISUSE(a_monitored_barrier_behind_a_collective_that_one_misses, 3, DIST_ERR_TIMEOUT, "dist_monitored_barrier",
       "rank ", "rank 1 did not come")
{
    if (rank == 1) {
        sleep(3);
    } else {
        dist_all_reduce(x, .async_op = true);
        dist_monitored_barrier(.timeout = 0.2);
    }
}
