/* feedback: first wrong element of x */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

static dist_group *make_group(int first, int step, int end)
{
    int count = (end - first + step - 1) / step, ranks[16];
    for (int i = 0; i < count; i++)
        ranks[i] = first + i * step;
    return dist_new_group(ranks, count);
}

void two_level_mean(tensor *x, int per_node, int rank, int world_size)
{
    int leader = rank - rank % per_node;
    dist_group *node = NULL, *leaders = NULL;
    for (int first = 0; first < world_size; first += per_node) {
        int end = first + per_node < world_size ? first + per_node : world_size;
        dist_group *group = make_group(first, 1, end);
        if (first == leader)
            node = group;
        else
            dist_group_free(group);
    }
    leaders = make_group(0, per_node, world_size);
    if (tensor_type(x) == DIST_F32)
        halve(x);
    dist_reduce(x, .dst = leader, .group = node);
    if (rank == leader) {
        dist_all_reduce(x, .group = leaders);
        tensor_mul_scalar(x, 1.0 / world_size);
    }
    dist_broadcast(x, .src = leader, .group = node);
    dist_group_free(leaders);
    dist_group_free(node);
}
