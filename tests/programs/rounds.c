/*
 * rounds.c: all_reduces one after the other, until somebody ends it, or so many: "rounds MEGABYTES ROUNDS". Rank 0 says that it has begun.
 */
#include "dist.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static long megabytes, rounds;

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, 1, megabytes << 18);
    for (long round = 0; round < rounds; round++) {
        dist_all_reduce(x, .op = DIST_MAX);
        if (rank == 0 && round == 1)
            fprintf(stderr, "%d ranks are under way\n", world_size);
    }
    tensor_free(x);
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    megabytes = argc > 1 ? atol(argv[1]) : 1;
    rounds = argc > 2 ? atol(argv[2]) : LONG_MAX;
    return dist_spawn(run, 4);
}
