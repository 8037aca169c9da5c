/* Two buffers of its own change places in each step; the output is filled in the end. */
#include "dist.h"

static tensor *block(tensor *input, int i, int n)
{
    int64_t size = tensor_numel(input) / n, k = (i % n + n) % n;
    return tensor_slice(input, k * size, (k + 1) * size);
}

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    tensor *first = block(input, rank - 1, n), *mine = tensor_clone(first), *other = tensor_clone(first);
    tensor_free(first);
    for (int step = 0; step < n - 1; step++) {
        dist_work *works[2];
        dist_batch_isend_irecv((dist_p2p_op[]){ { DIST_IRECV, other, (rank + n - 1) % n, 0, NULL },
                                                { DIST_ISEND, mine, (rank + 1) % n, 0, NULL } },
                               2, works);
        dist_wait_all(works, 2);
        tensor *own = block(input, rank - step - 2, n), *kept = mine;
        tensor_add(other, own);
        tensor_free(own);
        mine = other;
        other = kept;
    }
    tensor_copy(output, mine);
    tensor_free(mine);
    tensor_free(other);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *input = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + 2 * world_size);
    tensor *output = tensor_zeros(DIST_F32, 2);
    reduce_scatter(output, input, rank, world_size);
    tensor_print(output, "rank %d gets", rank);
    tensor_free(output);
    tensor_free(input);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
