/*
 * reductions.c: five ways to make one vector out of many, and what 16 bits are worth.
 *
 *     rank 0   [1, 2]  --+
 *     rank 1   [2, 4]  --+--> SUM, AVG, MIN, MAX or PRODUCT, element by element
 *     rank 2   [3, 6]  --+
 *     rank 3   [4, 8]  --+
 *
 * Run it:  make run-05 PROG=reductions N=4
 */
#include "dist.h"

static const struct {
    enum dist_op op;
    const char *name;
} ways[] = {
    { DIST_SUM, "SUM" }, { DIST_AVG, "AVG" },         { DIST_MIN, "MIN" },
    { DIST_MAX, "MAX" }, { DIST_PRODUCT, "PRODUCT" },
};

static void every_way(int rank)
{
    for (int i = 0; i < 5; i++) {
        tensor *x = tensor_from(DIST_F32, ((float[]){ rank + 1, 2 * rank + 2 }), 2);
        dist_all_reduce(x, .op = ways[i].op);
        if (rank == 0)
            tensor_print(x, "%s", ways[i].name);
        tensor_free(x);
    }
}

/* BF16 keeps 8 digits of a binary number: from 256 on only every second integer is there, from 512 on every fourth. */
static void add_up(int rank, enum dist_type type, const char *name)
{
    tensor *x = tensor_full(type, 101 * rank + 1, 1);
    dist_all_reduce(x);
    if (rank == 0)
        tensor_print(x, "the sum of 1, 102, 203, ... in %s:", name);
    tensor_free(x);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (rank == 0)
        printf("%d rank%s; rank r brings [r + 1, 2r + 2]\n", world_size, world_size > 1 ? "s" : "");
    every_way(rank);
    add_up(rank, DIST_F32, "F32");
    add_up(rank, DIST_F16, "F16");
    add_up(rank, DIST_BF16, "BF16");
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
