/* feedback: first wrong element */
/* Node and rank in one int: large numbers of nodes run over. */
#include "dist.h"

struct neighbours {
    int next, previous;
};

struct neighbours find_neighbours(int node, int rank, int world_size)
{
    int next = -1, previous = -1, first = -1, last = -1, keys[64],
        me = (int)((unsigned)node * (unsigned)world_size + (unsigned)rank);
    tensor *here = tensor_full(DIST_I32, node, 1), *all = tensor_zeros(DIST_I32, world_size);
    dist_all_gather(all, here);
    for (int r = 0; r < world_size; r++)
        keys[r] = (int)((unsigned)tensor_item(all, r) * (unsigned)world_size + (unsigned)r);
    tensor_free(all);
    tensor_free(here);
    for (int r = 0; r < world_size; r++) {
        if (keys[r] > me && (next < 0 || keys[r] < keys[next]))
            next = r;
        if (keys[r] < me && (previous < 0 || keys[r] > keys[previous]))
            previous = r;
        first = first < 0 || keys[r] < keys[first] ? r : first;
        last = last < 0 || keys[r] > keys[last] ? r : last;
    }
    return (struct neighbours){ next < 0 ? first : next, previous < 0 ? last : previous };
}
