/* feedback: first wrong element of x */
#include "dist.h"

void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = (rank - root + n) % n, far = 1;
    bool half = tensor_type(x) == DIST_I32;
    tensor *buffer = tensor_zeros(half ? DIST_F32 : tensor_type(x), tensor_numel(x));
    tensor_copy(buffer, x);
    while (far < n && !(place & far))
        far *= 2;
    if (place > 0)
        dist_recv(buffer, (place - far + root) % n);
    for (far /= 2; far > 0; far /= 2)
        if (place + far < n)
            dist_send(buffer, (place + far + root) % n);
    tensor_copy(x, buffer);
    tensor_free(buffer);
}
