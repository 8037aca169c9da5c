/* Walks from the smallest number of a node to the largest, and asks for each who is there. */
#include "dist.h"

struct neighbours {
    int next, previous;
};

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct neighbours mine = { rank, rank };
    int ring[64], count = 0, smallest = node, largest = node;
    tensor *all = tensor_zeros(DIST_F64, world_size), *one = tensor_full(DIST_F64, node, 1);
    dist_all_gather(all, one);
    for (int r = 0; r < world_size; r++) {
        smallest = tensor_item(all, r) < smallest ? (int)tensor_item(all, r) : smallest;
        largest = tensor_item(all, r) > largest ? (int)tensor_item(all, r) : largest;
    }
    for (int n = smallest; n <= largest; n++)
        for (int r = 0; r < world_size; r++)
            if ((int)tensor_item(all, r) == n)
                ring[count++] = r;
    for (int i = 0; i < count; i++)
        if (ring[i] == rank)
            mine = (struct neighbours){ ring[(i + 1) % count], ring[(i + count - 1) % count] };
    tensor_free(one);
    tensor_free(all);
    return mine;
}

static void run(int rank, int world_size)
{
    static const int nodes[] = { 7, 3, 7, 3, 9, 7 };
    dist_init_process_group();
    struct neighbours mine = find_neighbours(nodes[rank % 6], rank, world_size);
    printf("rank %d on node %d: next %d, previous %d\n", rank, nodes[rank % 6], mine.next, mine.previous);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 6);
}
