#include "dist.h"
static void go(int n, float v[n], tensor *x, tensor *mine, int rank, int world_size)
{
    tensor *in = tensor_zeros(DIST_F32, n);
    if (rank < world_size - 1)
        dist_recv(in, DIST_ANY_SOURCE, .tag = 100 + rank);
    tensor_read(in, v);
    for (int i = 0; i < n; i++)
        v[i] += (float)tensor_item(mine, i);
    tensor_write(x, v);
    tensor_free(in);
    if (rank > 0)
        dist_send(x, rank - 1, .tag = 100 + rank - 1);
}
void chain_backwards(tensor *x, tensor *mine, int rank, int world_size)
{
    int n = (int)tensor_numel(x);
    float v[n];
    go(n, v, x, mine, rank, world_size);
}
