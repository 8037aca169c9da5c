/* feedback: in its own type */
#include "dist.h"
void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = (rank - root + n) % n, far = 1;
    tensor *t = tensor_zeros(DIST_F64, tensor_numel(x));
    tensor_copy(t, x);
    while (far < n && !(place & far))
        far *= 2;
    if (place > 0)
        dist_recv(t, (place - far + root) % n);
    for (far /= 2; far > 0; far /= 2)
        if (place + far < n)
            dist_send(t, (place + far + root) % n);
    tensor_copy(x, t);
    tensor_free(t);
}
