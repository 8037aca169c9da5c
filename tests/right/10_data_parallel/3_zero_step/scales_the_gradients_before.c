/* Scales the gradients before; both collectives are started and waited for. */
#include "dist.h"

static tensor *mean_of(tensor *gradients, int n)
{
    tensor *mean = tensor_zeros(tensor_type(gradients), tensor_numel(gradients) / n);
    tensor_mul_scalar(gradients, 1.0 / n);
    dist_wait(dist_reduce_scatter(mean, gradients, .async_op = true));
    return mean;
}

static void step(tensor *w, tensor *v, const tensor *mean)
{
    tensor_add(v, v);
    tensor_mul_scalar(v, 0.25);
    tensor_add(v, mean);
    tensor *quarter = tensor_clone(v);
    tensor_mul_scalar(quarter, -0.25);
    tensor_add(w, quarter);
    tensor_free(quarter);
}

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    int64_t block = tensor_numel(velocity);
    tensor *mean = mean_of(gradients, world_size),
           *w = tensor_slice(weights, block * rank, block * (rank + 1));
    step(w, velocity, mean);
    tensor *late = tensor_clone(w);
    dist_work *gather = dist_all_gather(weights, late, .async_op = true);
    dist_wait_all(&gather, 1);
    tensor_free(late);
    tensor_free(w);
    tensor_free(mean);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *weights = tensor_full(DIST_F32, 8, 2 * world_size), *velocity = tensor_zeros(DIST_F32, 2);
    tensor *gradients = tensor_arange(DIST_F32, rank, rank + 2 * world_size);
    zero_step(weights, gradients, velocity, rank, world_size);
    tensor_print(weights, "rank %d has", rank);
    tensor_free(gradients);
    tensor_free(velocity);
    tensor_free(weights);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
