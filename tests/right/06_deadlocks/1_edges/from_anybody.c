/* Whoever comes first is received first; the tag tells from which side. */
#include "dist.h"

enum tag { TO_LEFT = 1, TO_RIGHT };

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    dist_work *works[4];
    int count = 0;
    if (rank + 1 < world_size) {
        works[count++] = dist_irecv(from_right, DIST_ANY_SOURCE, .tag = TO_LEFT);
        works[count++] = dist_isend(last, rank + 1, .tag = TO_RIGHT);
    }
    if (rank > 0) {
        works[count++] = dist_irecv(from_left, DIST_ANY_SOURCE, .tag = TO_RIGHT);
        works[count++] = dist_isend(first, rank - 1, .tag = TO_LEFT);
    }
    while (dist_wait_any(works, count) >= 0)
        ;
}
