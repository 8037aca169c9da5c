/* Gathers into another tensor, and copies that. */
#include "dist.h"

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size)
{
    tensor *mean = tensor_clone(velocity), *all = tensor_clone(weights), *step;
    int64_t block = tensor_numel(mean);
    dist_span("desk: mean") {
        dist_reduce_scatter(mean, gradients, .op = DIST_AVG);
    }
    tensor_mul_scalar(velocity, 0.5);
    tensor_add(velocity, mean);
    step = tensor_clone(velocity);
    tensor_mul_scalar(step, 0.25);
    tensor_sub(mean, mean);
    tensor *mine = tensor_slice(weights, rank * block, rank * block + block);
    tensor_add(mean, mine);
    tensor_sub(mean, step);
    dist_all_gather(all, mean);
    tensor_copy(weights, all);
    for (tensor **t = (tensor *[]){ mean, all, step, mine, NULL }; *t; t++)
        tensor_free(*t);
    (void)world_size;
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
