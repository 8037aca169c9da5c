/* feedback: first wrong element */
/*
 * 1_average_by_samples.c: exercise 10.1. The mean gradient over all samples, where ranks have different numbers of them.
 *
 *     rank            0              1              2              3
 *     samples         2              1              0              1          together 4
 *     gradient     [10, 20]       [30, 40]       [0, 0]         [50, 60]       each the mean over its rank's samples
 *     after        [25, 35]       [25, 35]       [25, 35]       [25, 35]       (2 x 10 + 1 x 30 + 1 x 50) / 4 = 25
 *
 * The mean of the ranks' means would be 22.5, and wrong: a sample counts less where a rank has many of them.
 * There are several gradients, F32 or F64, and every one of them becomes the mean over all samples of all ranks. Some rank has a sample.
 * The only collective that you need is dist_all_reduce; the others are not allowed, nor are messages. One call for each
 * gradient, and one for the number of samples, is all it takes.
 *
 * Grade it:  make exercise-10.1        Run it:  make try-10.1 N=4        A hint:  make hint-10.1
 */
#include "dist.h"

/* gradients[i] is this rank's mean over its `samples`; it becomes the mean over all samples. There are `count` gradients. */
void average_by_samples(tensor **gradients, int count, int samples)
{
    /* TODO: how many samples are there on all ranks together? */
    tensor *total = tensor_full(DIST_F64, samples, 1);
    dist_all_reduce(total);
    double all = tensor_item(total, 0);
    tensor_free(total);
    /* end of TODO */

    /* TODO: each gradient, weighed by how many samples it stands for. */
    for (int i = 0; i < count && i < 4; i++) {
        tensor_mul_scalar(gradients[i], samples / all);
        dist_all_reduce(gradients[i]);
    }
    /* end of TODO */
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *gradients[2] = { tensor_full(DIST_F32, 10 * rank + 10, 2), tensor_full(DIST_F32, rank, 3) };
    average_by_samples(gradients, 2, rank == 0 ? 2 : 1);
    for (int i = 0; i < 2; i++) {
        tensor_print(gradients[i], "rank %d, gradient %d:", rank, i);
        tensor_free(gradients[i]);
    }
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
