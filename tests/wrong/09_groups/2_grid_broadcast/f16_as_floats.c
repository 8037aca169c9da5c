/* feedback: in its own type */
#include "dist.h"
void grid_broadcast(tensor *x, int root, dist_group *row, dist_group *column, int columns, int rank)
{
    bool half = tensor_type(x) == DIST_F16;
    tensor *t = half ? tensor_zeros(DIST_F32, tensor_numel(x)) : tensor_clone(x);
    tensor_copy(t, x);
    if (rank / columns == root / columns)
        dist_broadcast(t, .src = root, .group = row);
    dist_broadcast(t, .src = root / columns * columns + rank % columns, .group = column);
    tensor_copy(x, t);
    tensor_free(t);
}
