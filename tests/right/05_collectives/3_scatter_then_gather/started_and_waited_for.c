/* Both collectives are started, and waited for; a rank has one tensor for what comes and one for what it has made. */
#include "dist.h"

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

static tensor *room_for(int64_t length, bool wanted)
{
    return wanted ? tensor_zeros(DIST_F32, length) : NULL;
}

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int64_t block = (count + world_size - 1) / world_size, all = block * world_size;
    tensor *in = room_for(all, rank == root), *out = room_for(all, rank == root);
    tensor *mine = tensor_zeros(DIST_F32, block);
    for (int i = 0; in && i < count; i++)
        tensor_set(in, i, tensor_item(samples, i));
    dist_work *scattering = dist_scatter(mine, in, .src = root, .async_op = true);
    dist_wait(scattering);
    tensor *made = tensor_clone(mine);
    work_on(made, rank);
    dist_work *gathering = dist_gather(made, out, .dst = root, .async_op = true);
    dist_wait(gathering);
    for (int i = 0; out && i < count; i++)
        tensor_set(results, i, tensor_item(out, i));
    tensor_free(made);
    tensor_free(mine);
    tensor_free(out);
    tensor_free(in);
}
