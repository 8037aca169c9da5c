/* feedback: first wrong element of mine */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

double there_and_back(tensor *ball, int rounds, int rank)
{
    if (rank > 1)
        return 0;
    double start = dist_time();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            dist_send(ball, 1);
            dist_recv(ball, 1);
        } else {
            dist_recv(ball, 0);
            halve(ball);
            tensor_add_scalar(ball, 1);
            dist_send(ball, 0);
        }
    }
    return (dist_time() - start) / (2 * rounds);
}

void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank)
{
    if (rank > 1)
        return;
    for (int i = 0; i < rounds; i++) {
        dist_work *arriving = dist_irecv(theirs, 1 - rank);
        dist_work *leaving = dist_isend(mine, 1 - rank);
        dist_wait(arriving);
        dist_wait(leaving);
        tensor_copy(mine, theirs);
        halve(mine);
        tensor_add_scalar(mine, 1);
    }
}
