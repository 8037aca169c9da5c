/* feedback: it used memory that is not there */
/* Takes for started what is not NULL, and memory from malloc for empty. */
#include "dist.h"

#include <stdlib.h>

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    dist_work **works = malloc(4 * sizeof *works);
    if (rank > 0) {
        works[0] = dist_irecv(from_left, rank - 1);
        works[1] = dist_isend(first, rank - 1);
    }
    if (rank + 1 < world_size) {
        works[2] = dist_irecv(from_right, rank + 1);
        works[3] = dist_isend(last, rank + 1);
    }
    for (int i = 0; i < 4; i++)
        if (works[i])
            dist_wait(works[i]);
    free(works);
}
