/* All four in one batch. */
#include "dist.h"

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    dist_p2p_op ops[4];
    dist_work *works[4];
    int count = 0;
    if (rank + 1 < world_size) {
        ops[count++] = (dist_p2p_op){ .kind = DIST_ISEND, .tensor = last, .peer = rank + 1 };
        ops[count++] = (dist_p2p_op){ .kind = DIST_IRECV, .tensor = from_right, .peer = rank + 1 };
    }
    if (rank > 0) {
        ops[count++] = (dist_p2p_op){ .kind = DIST_ISEND, .tensor = first, .peer = rank - 1 };
        ops[count++] = (dist_p2p_op){ .kind = DIST_IRECV, .tensor = from_left, .peer = rank - 1 };
    }
    if (count > 0)
        dist_batch_isend_irecv(ops, count, works);
    dist_wait_all(works, count);
}
