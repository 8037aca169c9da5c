/* test_misuse.c: arguments that one rank alone can see to be wrong. What two ranks find out: test_misuse_peers.c. */
#include "misuse_test.h"

/* ---- ranks, tags, tensors --------------------------------------------------------- */

MISUSE(send_to_a_rank_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_send", "rank 0: ", "7", "0 to 1")
{
    if (rank == 0)
        dist_send(x, 7);
    else
        dist_recv(x, 0);
}

MISUSE(send_to_the_rank_after_the_last, 3, DIST_ERR_ARGUMENT, "dist_send", "rank 2: ", "dst is 3, but ",
       "0 to 2", "name one of them: in a ring the next is (rank + 1) % world_size.")
{
    if (rank == 2)
        dist_send(x, rank + 1);
    else
        dist_barrier();
}

MISUSE(send_to_another_where_there_is_none, 1, DIST_ERR_ARGUMENT, "dist_send",
       "dst is 1, but this job has only rank 0;", "in a ring the next is (rank + 1) % world_size.")
{
    dist_send(x, rank + 1);
}

MISUSE(a_group_with_another_where_there_is_none, 1, DIST_ERR_ARGUMENT, "dist_new_group",
       "but this job has only rank 0; start more, or name that.")
{
    dist_new_group(((int[]){ 3 }), 1);
}

MISUSE(send_to_any_source, 2, DIST_ERR_ARGUMENT, "dist_isend", "rank 1: ", "dst is DIST_ANY_SOURCE, ",
       "the ranks of this job are 0 to 1; name one of them.")
{
    if (rank == 1)
        dist_isend(x, DIST_ANY_SOURCE);
}

MISUSE(receive_from_a_rank_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_recv", "rank 1: ", "2")
{
    if (rank == 1)
        dist_recv(x, size);
}

/* -1 is nobody: else rank 0 would silently receive from anybody, and take what was meant for another receive. */
MISUSE(receive_from_the_rank_before_the_first, 3, DIST_ERR_ARGUMENT, "dist_recv",
       "rank 0: ", "src is -1, but ", "0 to 2",
       "name one of them: in a ring the previous is (rank + world_size - 1) % world_size.")
{
    if (rank == 0)
        dist_recv(x, rank - 1);
    else
        dist_send(x, 0);
}

MISUSE(broadcast_from_any_source, 2, DIST_ERR_ARGUMENT, "dist_broadcast", "src is DIST_ANY_SOURCE, ",
       "which only a receive can name")
{
    dist_broadcast(x, .src = DIST_ANY_SOURCE);
}

MISUSE(receive_from_a_negative_rank, 2, DIST_ERR_ARGUMENT, "dist_irecv", "rank 0: ", "-2")
{
    if (rank == 0)
        dist_irecv(x, -2);
}

MISUSE(a_negative_tag, 2, DIST_ERR_ARGUMENT, "dist_send", "rank 0: ", "tag", "-5")
{
    if (rank == 0)
        dist_send(x, 1, .tag = -5);
    else
        dist_recv(x, 0);
}

MISUSE(send_of_null, 2, DIST_ERR_ARGUMENT, "dist_send", "rank 1: ", "tensor is NULL")
{
    if (rank == 1)
        dist_send(NULL, 0);
    else
        dist_recv(x, 1);
}

MISUSE(receive_into_a_freed_tensor, 2, DIST_ERR_ARGUMENT, "dist_recv", "rank 1: ", "tensor was freed")
{
    tensor *gone = tensor_clone(x);
    tensor_free(gone);
    if (rank == 1)
        dist_recv(gone, 0);
    else
        dist_send(x, 1);
}

MISUSE(all_reduce_of_null, 2, DIST_ERR_ARGUMENT, "dist_all_reduce", "rank 0: ", "tensor is NULL")
{
    dist_all_reduce(rank == 0 ? NULL : x);
}

MISUSE(a_tensor_freed_twice, 2, DIST_ERR_ARGUMENT, "tensor_free", "rank 1: ", "freed")
{
    tensor *copy = tensor_clone(x);
    tensor_free(copy);
    if (rank == 1)
        tensor_free(copy);
}

/* ---- collectives -------------------------------------------------------------------- */

MISUSE(a_root_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_broadcast", "rank ", "src", "2", "0 to 1")
{
    dist_broadcast(x, 2);
}

MISUSE(a_root_that_is_not_a_member, 3, DIST_ERR_ARGUMENT, "dist_reduce", "rank ", "dst", "0")
{
    dist_group *group = dist_new_group(((int[]){ 2, 1 }), 2);
    if (rank == 1 || rank == 2) /* (a third member of nothing would make another mistake) */
        dist_reduce(x, 0, .group = group);
}

MISUSE(a_reduction_that_is_none, 2, DIST_ERR_ARGUMENT, "dist_all_reduce", "rank ", "op is 9")
{
    dist_all_reduce(x, .op = (enum dist_op)9);
}

MISUSE(all_gather_into_too_few, 3, DIST_ERR_ARGUMENT, "dist_all_gather", "output", "8", "12")
{
    dist_all_gather(tensor_zeros(DIST_F32, 8), x);
}

MISUSE(all_gather_of_another_type, 2, DIST_ERR_ARGUMENT, "dist_all_gather", "F64", "F32")
{
    dist_all_gather(tensor_zeros(DIST_F64, 8), x);
}

MISUSE(reduce_scatter_that_does_not_divide, 3, DIST_ERR_ARGUMENT, "dist_reduce_scatter", "4", "3 ranks")
{
    dist_reduce_scatter(tensor_zeros(DIST_F32, 1), x);
}

MISUSE(all_to_all_that_does_not_divide, 3, DIST_ERR_ARGUMENT, "dist_all_to_all", "4", "3 ranks")
{
    dist_all_to_all(tensor_zeros(DIST_F32, 4), x);
}

MISUSE(scatter_without_an_input_on_the_root, 2, DIST_ERR_ARGUMENT, "dist_scatter",
       "rank 1: ", "input is NULL, but src is 1, which is this rank; pass a tensor")
{
    dist_scatter(x, NULL, 1);
}

MISUSE(gather_without_an_output_on_the_root, 2, DIST_ERR_ARGUMENT, "dist_gather",
       "rank 0: ", "output is NULL, but dst is 0, which is this rank; pass a tensor")
{
    dist_gather(x, NULL, 0);
}

/* ---- tensors that overlap -------------------------------------------------------------- */

MISUSE(all_to_all_in_place, 2, DIST_ERR_ARGUMENT, "dist_all_to_all", "rank ", "share memory")
{
    dist_all_to_all(x, x);
}

MISUSE(all_gather_from_the_block_of_another, 2, DIST_ERR_ARGUMENT, "dist_all_gather", "rank ", "share memory")
{
    dist_all_gather(x, tensor_slice(x, 2 * (1 - rank), 2 * (1 - rank) + 2));
}

MISUSE(reduce_scatter_over_a_border, 2, DIST_ERR_ARGUMENT, "dist_reduce_scatter", "rank ", "share memory")
{
    dist_reduce_scatter(tensor_slice(x, 1, 3), x);
}

MISUSE(scatter_over_a_border, 2, DIST_ERR_ARGUMENT, "dist_scatter", "rank 0: ", "share memory")
{
    dist_scatter(rank == 0 ? tensor_slice(x, 1, 3) : tensor_zeros(DIST_F32, 2), rank == 0 ? x : NULL, 0);
}

/* ---- batches ------------------------------------------------------------------------------ */

MISUSE(a_batch_of_something_else, 2, DIST_ERR_ARGUMENT, "dist_batch_isend_irecv", "rank 0: ", "kind")
{
    dist_work *works[2];
    dist_p2p_op ops[] = { { DIST_ISEND, x, 1, .tag = 0 }, { (enum dist_p2p_kind)0, x, 1, .tag = 0 } };
    if (rank == 0)
        dist_batch_isend_irecv(ops, 2, works);
}

MISUSE(a_batch_with_a_rank_that_is_not_there, 2, DIST_ERR_ARGUMENT, "dist_batch_isend_irecv", "rank 1: ", "4")
{
    dist_work *works[1];
    dist_p2p_op ops[] = { { DIST_IRECV, x, 4, .tag = 0 } };
    if (rank == 1)
        dist_batch_isend_irecv(ops, 1, works);
}

MISUSE(a_batch_without_room_for_its_works, 2, DIST_ERR_ARGUMENT, "dist_batch_isend_irecv", "rank 0: ", "NULL")
{
    dist_p2p_op ops[] = { { DIST_ISEND, x, 1, .tag = 0 } };
    if (rank == 0)
        dist_batch_isend_irecv(ops, 1, NULL);
}

MISUSE(a_batch_of_a_negative_count, 2, DIST_ERR_ARGUMENT, "dist_batch_isend_irecv", "rank 0: ", "-3")
{
    dist_work *works[1];
    dist_p2p_op ops[] = { { DIST_ISEND, x, 1, .tag = 0 } };
    if (rank == 0)
        dist_batch_isend_irecv(ops, -3, works);
}
