/* Means of gradients that were weighed by their share of the mean number of samples. */
#include "dist.h"

static double together(double mine, enum dist_op op)
{
    tensor *t = tensor_from(DIST_F64, (double[]){ mine }, 1);
    dist_all_reduce(t, .op = op);
    double all = tensor_item(t, 0);
    tensor_free(t);
    return all;
}

static void weigh(tensor **gradients, int left, double share)
{
    if (left == 0)
        return;
    if (share == 0)
        tensor_fill(gradients[0], 0);
    else
        tensor_mul_scalar(gradients[0], share);
    dist_all_reduce(gradients[0], .op = DIST_AVG);
    weigh(gradients + 1, left - 1, share);
}

void average_by_samples(tensor **gradients, int count, int samples)
{
    weigh(gradients, count, samples / together(samples, DIST_AVG));
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
