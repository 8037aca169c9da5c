/* feedback: rank 0 stood in line 10 of your file */
/* Sleeps for a day. */
#include "dist.h"

#include <threads.h>

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)traveller, (void)mine, (void)rank, (void)world_size;
    thrd_sleep(&(struct timespec){ .tv_sec = 86400 }, NULL);
}
