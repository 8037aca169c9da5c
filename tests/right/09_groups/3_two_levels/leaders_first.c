/* Makes the leaders' group first, and weighs the means of the nodes. */
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
    dist_group *leaders = make_group(0, per_node, world_size), *node = NULL;
    int mine = rank / per_node, leader = mine * per_node;
    for (int i = 0; i * per_node < world_size; i++) {
        int end = (i + 1) * per_node < world_size ? (i + 1) * per_node : world_size;
        dist_group *made = make_group(i * per_node, 1, end);
        if (i == mine)
            node = made;
        else
            dist_group_free(made);
    }
    dist_reduce(x, .dst = leader, .op = DIST_AVG, .group = node);
    if (dist_get_rank(.group = leaders) >= 0) {
        tensor_mul_scalar(x, (double)dist_get_world_size(.group = node) / world_size);
        dist_all_reduce(x, .group = leaders);
    }
    dist_broadcast(x, .src = leader, .group = node);
    dist_group_free(leaders);
    dist_group_free(node);
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
