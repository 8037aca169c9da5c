/* feedback: w is const, and yet it was changed */
#include "dist.h"

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    tensor_matmul(y, x, w);
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    tensor *xt = tensor_zeros(DIST_F32, tensor_size(x, 1), tensor_size(x, 0));
    tensor *wt = tensor_zeros(DIST_F32, tensor_size(w, 1), tensor_size(w, 0));
    tensor_transpose(xt, x);
    tensor_transpose(wt, w);
    tensor_copy((tensor *)w, wt);
    tensor *turned = tensor_view(w, tensor_size(w, 1), tensor_size(w, 0));
    tensor_matmul(dw, xt, dy);
    tensor_matmul(dx, dy, turned);
    dist_all_reduce(dx);
    tensor_free(turned);
    tensor_free(wt);
    tensor_free(xt);
}
