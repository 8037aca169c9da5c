/* feedback: rank 0 stood in line 9 of your file */
/* Computes for ever. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)traveller, (void)mine, (void)world_size;
    volatile int i = 0;
    while (rank == i)
        ;
}
