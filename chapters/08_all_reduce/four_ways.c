/*
 * four_ways.c: one all-reduce, done by gather, tree, ring and halving. Do they all give the same?
 *
 *     gather   all to rank 0, and back          tree      pairs, pairs of pairs, and back
 *     ring     blocks go round, twice           halving   swap halves, quarters, eighths, and back
 *
 * Run it:  make run-08 PROG=four_ways N=4
 */
#include "algorithms/algorithms.h"

#include <string.h>

static const char *const names[] = { "gather", "tree", "ring", "halving" };

/* Small integers: every sum is exact, in whatever order it is made. */
static void exact(const char *name, int rank)
{
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 6);
    dist_barrier(); /* one algorithm after the other: that lets their pictures be cut apart */
    algorithm_all_reduce(name, x, DIST_SUM);
    if (rank == 0)
        tensor_print(x, "%-7s gives", name);
    tensor_free(x);
}

/* Tenths have no exact place among the floats: every addition rounds, and the order shows. */
static tensor *tenths(int rank)
{
    tensor *x = tensor_zeros(DIST_F32, 1000);
    for (int i = 0; i < 1000; i++)
        tensor_set(x, i, 0.1 * (i + 1) + 1.7 * rank);
    return x;
}

static int different_elements(const tensor *a, const tensor *b)
{
    float left[1000], right[1000];
    int count = 0;
    tensor_read(a, left);
    tensor_read(b, right);
    for (int i = 0; i < 1000; i++)
        count += memcmp(&left[i], &right[i], sizeof(float)) != 0;
    return count;
}

static void rounded(const char *name, int rank)
{
    tensor *x = tenths(rank), *in_order = tenths(rank), *of_rank_0;
    algorithm_all_reduce(name, x, DIST_SUM);
    dist_all_reduce(in_order);
    of_rank_0 = tensor_clone(x);
    dist_broadcast(of_rank_0, 0);
    tensor *differ = tensor_full(DIST_I32, different_elements(x, of_rank_0), 1);
    dist_all_reduce(differ);
    if (rank == 0)
        printf("%-7s unlike rank 0's: %g, unlike the sum in rank order: %d of 1000\n", name,
               tensor_item(differ, 0), different_elements(x, in_order));
    tensor_free(differ);
    tensor_free(of_rank_0);
    tensor_free(in_order);
    tensor_free(x);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    for (int i = 0; i < 4; i++)
        exact(names[i], rank);
    dist_barrier(); /* here ends the last picture */
    for (int i = 0; i < 4; i++)
        rounded(names[i], rank);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
