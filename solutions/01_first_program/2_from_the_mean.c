/*
 * 2_from_the_mean.c: exercise 01.2. How far is each rank from the mean of all, and how far is the farthest above it?
 *
 *     rank                  0            1            2            3
 *     mine                [10, 1]      [20, 3]      [60, 5]      [30, 7]       mean of all: [30, 4]
 *
 *     difference        [-20, -3]     [-10, -1]     [30, 1]       [0, 3]       on each rank its own
 *     largest             [30, 3]      [30, 3]      [30, 3]      [30, 3]       on every rank the same
 *
 * `difference` becomes what this rank has minus the mean over all ranks, element by element. `largest` becomes the largest
 * difference that any rank has, element by element. `mine` must be the same afterwards. Two collectives are enough.
 *
 * Grade it:  make exercise-01.2        Run it:  make try-01.2 N=4        A hint:  make hint-01.2
 */
#include "dist.h"

/* All three have the same number of elements. What stands in the first two at first is of no use. It may be called again in the
 * same run. */
void from_the_mean(tensor *difference, tensor *largest, tensor *mine)
{
    /* TODO: difference = mine - mean. An all_reduce overwrites what it is given (tensor_copy, tensor_clone, tensor_sub). */
    tensor *mean = tensor_clone(mine);
    dist_all_reduce(mean, .op = DIST_AVG);
    tensor_copy(difference, mine);
    tensor_sub(difference, mean);
    tensor_free(mean);
    /* end of TODO */

    /* TODO: largest = the largest difference of all ranks. */
    tensor_copy(largest, difference);
    dist_all_reduce(largest, .op = DIST_MAX);
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *difference = tensor_zeros(DIST_F32, 2);
    tensor *largest = tensor_zeros(DIST_F32, 2);
    from_the_mean(difference, largest, mine);
    tensor_print(difference, "rank %d is off by", rank);
    tensor_print(largest, "rank %d has heard of", rank);
    tensor_free(largest);
    tensor_free(difference);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
