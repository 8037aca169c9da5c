/* feedback: first wrong element of x */
#include "dist.h"

void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    tensor *t = tensor_zeros(tensor_type(x) == DIST_I64 ? DIST_F64 : tensor_type(x), tensor_numel(x));
    tensor_copy(t, x);
    if (rank / columns == root / columns)
        dist_broadcast(t, .src = root, .group = row);
    dist_broadcast(t, .src = root / columns * columns + rank % columns, .group = column);
    tensor_copy(x, t);
    tensor_free(t);
}
