/* feedback: says that a message took */
#include "dist.h"

#include <time.h>

double there_and_back(tensor *ball, int rounds, int rank)
{
    if (rank > 1)
        return 0;
    clock_t start = clock();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            dist_send(ball, 1);
            dist_recv(ball, 1);
        } else {
            dist_recv(ball, 0);
            tensor_add_scalar(ball, 1);
            dist_send(ball, 0);
        }
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC / (2 * rounds);
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
        tensor_add_scalar(mine, 1);
    }
}
