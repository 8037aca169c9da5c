/* feedback: first wrong element of weights */
/*
 * 2_uneven_work.c: exercise 06.2. The ranks train together, some with more batches than others. It ends in a report; mend it twice.
 *
 *              step 0       step 1       step 2       step 3
 *     rank 0   [batch 0]    [batch 1]                             2 batches
 *     rank 1   [batch 0]    [batch 1]    [batch 2]    [batch 3]   4 batches: so there are 4 steps, for everybody
 *     rank 2                                                      none
 *              \_ sum _/    \_ sum _/    \_ sum _/    \_ sum _/
 *
 * All start from rank 0's weights. In each step the gradients of all ranks are summed up. A rank's gradient is its next batch; a
 * rank that has none left adds nothing to the sum. Then every rank updates: weights = 2 weights + sum. So all ranks hold the same
 * weights at all times.
 *
 * Run it first, and read the report. Mend what it says (the first region), run it again, and read the next report (the second).
 * Messages are not needed, and not allowed.
 *
 * Grade it:  make exercise-06.2        Run it:  make try-06.2 N=3        A hint:  make hint-06.2
 */
#include "dist.h"

/* All get rank 0's weights, and learn how many batches the busiest rank has. */
static int64_t begin_together(tensor *weights, int64_t count)
{
    tensor *most = tensor_full(DIST_I64, (double)count, 1);

    /* TODO: the first report is about these lines. */
    dist_broadcast(weights, 0);
    dist_all_reduce(most, .op = DIST_MAX);
    /* end of TODO */

    int64_t steps = (int64_t)tensor_item(most, 0);
    tensor_free(most);
    return steps;
}

/* Row i of `batches` is this rank's batch i, for i from 0 to count - 1. What lies in further rows is of no use. It may be called again in the same run. */
void train(tensor *weights, tensor *batches, int64_t count)
{
    tensor *gradient = tensor_zeros(DIST_F32, tensor_numel(weights));
    int64_t steps = begin_together(weights, count);

    /* TODO: the second report is about these lines. */
    int64_t i = 0;
    do {
        if (i < count || false) {
            tensor *batch = tensor_slice(batches, i, i + 1);
            tensor_copy(gradient, batch);
            tensor_free(batch);
        } else {
            tensor_mul_scalar(gradient, 0);
        }
        dist_all_reduce(gradient);
        tensor_mul_scalar(weights, 2);
        tensor_add(weights, gradient);
    } while (++i < steps);
    /* end of TODO */

    tensor_free(gradient);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *weights = tensor_full(DIST_F32, rank + 1, 3);
    tensor *batches = tensor_full(DIST_F32, 100 * rank + 1, 4, 3);
    train(weights, batches, (2 * rank + 2) % 6);
    tensor_print(weights, "rank %d ends with", rank);
    tensor_free(batches);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 3);
}
