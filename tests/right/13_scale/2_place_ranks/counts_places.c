/* Counts who stands before each rank, with numbers of 32 bits, gathered in place. */
#include "dist.h"

struct neighbours {
    int next, previous;
};

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct neighbours mine = { rank, rank };
    int nodes[64], places[64];
    tensor *all = tensor_zeros(DIST_I32, world_size), *one = tensor_slice(all, rank, rank + 1);
    tensor_set(one, 0, node);
    dist_all_gather(all, one);
    tensor_read(all, nodes);
    tensor_free(one);
    tensor_free(all);
    for (int r = 0; r < world_size; r++) {
        places[r] = 0;
        for (int other = 0; other < world_size; other++)
            places[r] += nodes[other] < nodes[r] || (nodes[other] == nodes[r] && other < r);
    }
    for (int r = 0; r < world_size; r++) {
        if (places[r] == (places[rank] + 1) % world_size)
            mine.next = r;
        if (places[rank] == (places[r] + 1) % world_size)
            mine.previous = r;
    }
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
