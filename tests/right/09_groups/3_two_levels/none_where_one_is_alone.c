/* Meets in no group of one; the leaders take the mean of sums that were scaled up. */
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
    dist_group *node = NULL, *leaders;
    int nodes = 0, first = 0;
    do {
        int end = first + per_node < world_size ? first + per_node : world_size;
        dist_group *made = make_group(first, 1, end);
        if (dist_get_rank(.group = made) >= 0)
            node = made;
        else
            dist_group_free(made);
        nodes++;
        first = end;
    } while (first < world_size);
    leaders = make_group(0, per_node, world_size);
    bool leads = rank % per_node == 0, alone = dist_get_world_size(.group = node) == 1;
    if (!alone)
        dist_reduce(x, .group = node, .dst = rank - rank % per_node);
    if (leads) {
        tensor_mul_scalar(x, (double)nodes / world_size);
        if (nodes > 1)
            dist_all_reduce(x, .op = DIST_AVG, .group = leaders);
    }
    if (!alone)
        dist_broadcast(x, .group = node, .src = rank - rank % per_node);
    dist_group_free(node);
    dist_group_free(leaders);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 4);
    two_level_mean(x, 3, rank, world_size);
    tensor_print(x, "rank %d has the mean", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 7);
}
