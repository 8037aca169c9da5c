/* table.h: what the programs of this chapter share: rank 0 computes and prints, however many ranks there are. */
#ifndef TABLE_H
#define TABLE_H

#include "dist.h"

#include <stdlib.h>
#include <string.h>

static inline void rank_0_tells(int rank, void (*tell)(void))
{
    dist_init_process_group();
    if (rank == 0)
        tell();
    dist_destroy_process_group();
}

/* The same numbers on every machine: not the C library's. 0 <= x < 1. */
static inline double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

#endif
