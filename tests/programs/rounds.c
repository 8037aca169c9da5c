/* rounds.c: all_reduces one after the other, until somebody ends it. "rounds MEGABYTES": of so much. Rank 0 says that it has begun. */
#include "dist.h"

#include <stdio.h>
#include <stdlib.h>

static int megabytes;

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, 1, (int64_t)megabytes << 18);
    for (long round = 0;; round++) {
        dist_all_reduce(x, .op = DIST_MAX);
        if (rank == 0 && round == 1)
            fprintf(stderr, "%d ranks are under way\n", world_size);
    }
}

int main(int argc, char **argv)
{
    megabytes = argc > 1 ? atoi(argv[1]) : 1;
    return dist_spawn(run, 4);
}
