/* feedback: something on their way is an F32 */
#include "dist.h"
void tree_broadcast(tensor *x, int root, int rank, int n)
{
    int place = (rank - root + n) % n, far = 1;
    tensor *buffer = tensor_zeros(tensor_type(x) == DIST_F64 ? DIST_F64 : DIST_F32, tensor_numel(x));
    if (place == 0)
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
