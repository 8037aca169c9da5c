/*
 * 2_fill_buckets.c: exercise 10.2. Backward, from the last layer to the first, and a sum of every bucket as soon as it is full.
 *
 *     flat        [ layer 0     | layer 1 | layer 2      | layer 3 ]          begin = 0, 6, 9, 15, 18
 *
 *     full = 8    backward 3, backward 2: 9 numbers are ready -> all_reduce of 9 .. 17
 *                 backward 1: 3 numbers, go on; backward 0: 9 numbers -> all_reduce of 0 .. 8
 *
 * All gradients lie in one flat tensor, F32 or F64: those of layer l at begin[l] .. begin[l + 1] - 1. backward(l) computes them; it must be
 * called once for each layer, the last one first. As soon as `full` numbers or more are computed that are not yet on their way, start
 * the sum of all of these over all ranks: one bucket, one all_reduce. What is left when layer 0 is done is the last bucket. No
 * backward may wait for a sum: wait for all of them at the end. The only collective that you need is dist_all_reduce.
 *
 * Grade it:  make exercise-10.2        Run it:  make try-10.2 N=4        A hint:  make hint-10.2
 */
#include "dist.h"

enum { MOST = 8 }; /* layers */

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    tensor *buckets[MOST];
    dist_work *sums[MOST];
    int count = 0;
    int64_t end = begin[layers]; /* from here on all is on its way */

    /* TODO: backward, layer by layer, and a bucket whenever one is full. */
    for (int l = layers - 1; l >= 0; l--) {
        backward(l);
        if (end - begin[l] < full && l > 0)
            continue;
        buckets[count] = tensor_slice(flat, begin[l], end);
        sums[count] = dist_all_reduce(buckets[count], .async_op = true);
        count++;
        end = begin[l];
    }
    /* end of TODO */

    /* TODO: wait for all sums, and free the slices. */
    for (int i = 0; i < count; i++) {
        dist_wait(sums[i]);
        tensor_free(buckets[i]);
    }
    /* end of TODO */
}

static _Thread_local tensor *gradients; /* of this rank */
static const int64_t begins[] = { 0, 6, 9, 15, 18 };

static void compute(int layer)
{
    dist_span("backward %d", layer) {
        for (int64_t i = begins[layer]; i < begins[layer + 1]; i++)
            tensor_set(gradients, i, 100 * layer + (double)i);
    }
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    gradients = tensor_zeros(DIST_F32, 18);
    sum_in_buckets(gradients, begins, 4, 8, compute);
    tensor_print(gradients, "rank %d has", rank);
    tensor_free(gradients);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
