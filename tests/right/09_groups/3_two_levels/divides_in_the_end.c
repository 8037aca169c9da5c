/* Everybody divides in the end; a copy goes the way. */
#include "dist.h"

struct levels {
    dist_group *node, *leaders;
    int leader;
};

static dist_group *list(int first, int step, int last)
{
    int ranks[256], count = 0;
    for (int r = first; r <= last; r += step)
        ranks[count++] = r;
    return dist_new_group(ranks, count);
}

static struct levels late(int per_node, int rank, int n)
{
    struct levels made = { .leader = rank / per_node * per_node };
    for (int first = 0; first < n; first += per_node) {
        dist_group *group = list(first, 1, first + per_node > n ? n - 1 : first + per_node - 1);
        if (first == made.leader)
            made.node = group;
        else
            dist_group_free(group);
    }
    made.leaders = list(0, per_node, n - 1);
    return made;
}

void two_level_mean(tensor *x, int per_node, int rank, int world_size)
{
    struct levels made = late(per_node, rank, world_size);
    tensor *sum = tensor_clone(x);
    dist_reduce(sum, .dst = made.leader, .group = made.node);
    if (rank == made.leader)
        dist_all_reduce(sum, .group = made.leaders);
    dist_broadcast(sum, .src = made.leader, .group = made.node);
    tensor_mul_scalar(sum, 1.0 / world_size);
    tensor_copy(x, sum);
    tensor_free(sum);
    dist_group_free(made.node);
    dist_group_free(made.leaders);
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
