/* feedback: something on their way is an F32 */
#include "dist.h"
#include <stdlib.h>
static dist_group *make_group(int first, int step, int end)
{
    int count = (end - first + step - 1) / step, *ranks = calloc((size_t)count, sizeof *ranks);
    for (int i = 0; ranks && i < count; i++)
        ranks[i] = first + i * step;
    dist_group *group = dist_new_group(ranks, count);
    free(ranks);
    return group;
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
    tensor *t = tensor_zeros(DIST_F32, tensor_numel(x));
    tensor_copy(t, x);
    dist_reduce(t, .dst = leader, .group = node);
    if (rank == leader)
        dist_all_reduce(t, .group = leaders);
    dist_broadcast(t, .src = leader, .group = node);
    tensor_copy(x, t);
    tensor_mul_scalar(x, 1.0 / world_size);
    tensor_free(t);
    dist_group_free(leaders);
    dist_group_free(node);
}
