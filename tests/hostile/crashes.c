/* feedback: It crashed */
/* Writes where nothing is. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)traveller, (void)mine, (void)world_size;
    volatile int *volatile nowhere = NULL;
    if (rank == world_size - 1)
        *nowhere = 1;
}
