/* A round, and then the other rounds. */
#include "dist.h"

static void round_of_ball(tensor *ball, int rounds, int rank)
{
    if (rounds == 0)
        return;
    if (rank == 0) {
        dist_send(ball, 1);
        dist_recv(ball, 1);
    } else {
        dist_recv(ball, 0);
        tensor_add_scalar(ball, 1);
        dist_send(ball, 0);
    }
    round_of_ball(ball, rounds - 1, rank);
}

double there_and_back(tensor *ball, int rounds, int rank)
{
    double start = dist_time();
    if (rank < 2)
        round_of_ball(ball, rounds, rank);
    return rank < 2 ? (dist_time() - start) / (rounds + rounds) : 0;
}

void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank)
{
    if (rank > 1 || rounds == 0)
        return;
    dist_work *works[2] = { dist_irecv(theirs, 1 - rank), dist_isend(mine, 1 - rank) };
    for (int i; (i = dist_wait_any(works, 2)) >= 0;)
        continue;
    tensor_copy(mine, theirs);
    tensor_add_scalar(mine, 1);
    both_at_once(mine, theirs, rounds - 1, rank);
}
