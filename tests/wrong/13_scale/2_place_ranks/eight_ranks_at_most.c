/* feedback: an element of an array that the array does not have */
#include "dist.h"

struct neighbours {
    int next, previous;
};

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    struct neighbours mine = { rank, rank };
    tensor *here = tensor_full(DIST_I64, node, 1), *all = tensor_zeros(DIST_I64, world_size);
    dist_all_gather(all, here);
    int64_t nodes[8] = { 0 };
    for (int r = 0; r < world_size; r++)
        nodes[r] = (int64_t)tensor_item(all, r);
    tensor_free(all);
    tensor_free(here);

    int order[8] = { 0 }, place = 0;
    for (int r = 0; r < world_size; r++) {
        int before = 0;
        for (int other = 0; other < world_size; other++)
            before += nodes[other] < nodes[r] || (nodes[other] == nodes[r] && other < r);
        order[before] = r;
        place = r == rank ? before : place;
    }
    mine.next = order[(place + 1) % world_size];
    mine.previous = order[(place + world_size - 1) % world_size];
    return mine;
}
