/* Rank 1 keeps a ball of its own; both directions are started in a batch. */
#include "dist.h"

double there_and_back(tensor *ball, int rounds, int rank)
{
    if (rank >= 2)
        return 0;
    tensor *own = tensor_clone(ball);
    double begin = dist_time();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0)
            dist_send(ball, 1);
        dist_recv(own, !rank);
        if (rank == 1)
            tensor_add_scalar(own, 1);
        tensor_copy(ball, own);
        if (rank == 1)
            dist_send(own, 0);
    }
    double seconds = dist_time() - begin;
    tensor_free(own);
    return seconds / 2 / rounds;
}

void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank)
{
    if (rank >= 2)
        return;
    dist_p2p_op ops[2] = { { .kind = DIST_ISEND, .tensor = mine, .peer = !rank },
                           { .kind = DIST_IRECV, .tensor = theirs, .peer = !rank } };
    for (int i = 0; i < rounds; i++) {
        dist_work *works[2];
        dist_batch_isend_irecv(ops, 2, works);
        dist_wait_all(works, 2);
        tensor_copy(mine, theirs);
        tensor_add_scalar(mine, 1);
    }
}
