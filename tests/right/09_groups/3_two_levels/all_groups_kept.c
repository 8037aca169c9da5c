/* Keeps all groups until the end, and starts everything without waiting inside a call. */
#include "dist.h"

#include <stdlib.h>

void two_level_mean(tensor *x, int per_node, int rank, int world_size)
{
    int nodes = (world_size + per_node - 1) / per_node, *ranks = calloc((size_t)world_size + 1, sizeof(int));
    dist_group **groups = calloc((size_t)nodes + 1, sizeof *groups), *mine;
    for (int i = 0; i < nodes; i++) {
        int count = 0;
        for (int r = 0; r < world_size; r++)
            if (r / per_node == i)
                ranks[count++] = r;
        groups[i] = dist_new_group(ranks, count);
    }
    for (int i = 0; i < nodes; i++)
        ranks[i] = i * per_node;
    groups[nodes] = dist_new_group(ranks, nodes);

    mine = groups[rank / per_node];
    int leader = rank / per_node * per_node;
    dist_wait(dist_reduce(x, .dst = leader, .group = mine, .async_op = true));
    if (rank == leader) {
        dist_wait(dist_all_reduce(x, .group = groups[nodes], .op = DIST_SUM, .async_op = true));
        tensor_mul_scalar(x, 1.0 / world_size);
    }
    dist_wait(dist_broadcast(x, .src = leader, .group = mine, .async_op = true));
    while (nodes >= 0)
        dist_group_free(groups[nodes--]);
    free(groups);
    free(ranks);
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
