/* feedback: Your file calls dist_all_gather */
/*
 * 3_scatter_then_gather.c: exercise 05.3. Deal a batch out, let every rank work on its part, collect in order; also where the
 * batch cannot be shared evenly.
 *
 *     on the root      7 samples                [1, 2, 3, 4, 5, 6, 7]                     and 4 ranks, so a block holds 2
 *     padded           block by block           [1, 2 | 3, 4 | 5, 6 | 7, 0]
 *     scatter          rank 0, 1, 2, 3          [1, 2]   [3, 4]    [5, 6]    [7, 0]
 *     work             square, add the rank     [1, 4]   [10, 17]  [27, 38]  [52, 3]
 *     gather           block by block           [1, 4 | 10, 17 | 27, 38 | 52, 3]
 *     on the root      7 results                [1, 4, 10, 17, 27, 38, 52]
 *
 * All blocks are equally long, and as short as they can be. Any rank may be the root, and there may be fewer samples than ranks.
 * Only dist_scatter and dist_gather are allowed.
 *
 * Grade it:  make exercise-05.3        Run it:  make try-05.3 N=4        A hint:  make hint-05.3
 */
#include "dist.h"

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

/* `samples` and `results` have `count` elements on the root, and are NULL on all other ranks. */
void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    /* TODO: how many samples must a block hold, so that world_size blocks hold all `count`? */
    int block = (count + world_size - 1) / world_size;
    /* end of TODO */

    tensor *mine = tensor_zeros(DIST_F32, block);
    tensor *padded = rank == root ? tensor_zeros(DIST_F32, block * world_size) : NULL;

    /* TODO: on the root, put the samples into `padded` (tensor_item, tensor_set). Then all: scatter. */
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(padded, i, tensor_item(samples, i));
    dist_scatter(mine, padded, root);
    /* end of TODO */

    work_on(mine, rank);

    /* TODO: all: gather. Then, on the root, put the first `count` elements into `results`. */
    tensor *all = tensor_zeros(DIST_F32, block * world_size);
    dist_all_gather(all, mine);
    if (rank == root)
        for (int i = 0; i < count; i++)
            tensor_set(results, i, tensor_item(all, i));
    tensor_free(all);
    /* end of TODO */

    tensor_free(padded);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    enum { COUNT = 7, ROOT = 0 };
    dist_init_process_group();
    tensor *samples = rank == ROOT ? tensor_arange(DIST_F32, 1, COUNT + 1) : NULL;
    tensor *results = rank == ROOT ? tensor_zeros(DIST_F32, COUNT) : NULL;
    work_through(samples, results, COUNT, ROOT, rank, world_size);
    if (rank == ROOT)
        tensor_print(results, "rank %d collected", rank);
    tensor_free(results);
    tensor_free(samples);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
