/*
 * order.c: two groups of the same ranks, and not everybody begins with the same one.
 *
 *     rank 0       sum in group a, then the largest in group b
 *     all others   the largest in group b, then sum in group a
 *
 * Here that works: each operation goes on as soon as all have come to it. A GPU's stream does one after the other, so with
 * NCCL rank 0 stands in one and the others stand in the other, for ever. Run it:  make run-12 PROG=order N=4
 */
#include "dist.h"

#include <stdlib.h>

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int *all = malloc((size_t)world_size * sizeof *all);
    for (int i = 0; i < world_size; i++)
        all[i] = i;
    dist_group *a = dist_new_group(all, world_size), *b = dist_new_group(all, world_size);
    tensor *sum = tensor_full(DIST_F32, rank + 1, 1), *most = tensor_full(DIST_F32, 10 * rank, 1);
    dist_work *works[2];
    if (rank == 0) {
        works[0] = dist_all_reduce(sum, .group = a, .async_op = true);
        works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    } else {
        works[0] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
        works[1] = dist_all_reduce(sum, .group = a, .async_op = true);
    }
    dist_wait_all(works, 2);
    printf("rank %d: the sum is %g, the largest is %g\n", rank, tensor_item(sum, 0), tensor_item(most, 0));
    tensor_free(sum);
    tensor_free(most);
    dist_group_free(b);
    dist_group_free(a);
    free(all);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
