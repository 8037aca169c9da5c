/* feedback: first wrong element of dx */
#include "dist.h"

static tensor *transposed(const tensor *a)
{
    tensor *out = tensor_zeros(tensor_type(a), tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(out, a);
    return out;
}
void column_forward(tensor *y, tensor *x, const tensor *w)
{
    tensor_matmul(y, x, w);
}
void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    static tensor *wt;
    if (!wt)
        wt = transposed(w);
    tensor *xt = transposed(x);
    tensor_matmul(dw, xt, dy);
    tensor_matmul(dx, dy, wt);
    dist_all_reduce(dx);
    tensor_free(xt);
}
