/* feedback: first wrong element of d */
#include "dist.h"

/* Through BF16: no more than 8 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_BF16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    tensor_matmul(y, x, w);
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    int64_t rows = tensor_size(x, 0), inner = tensor_size(x, 1), columns = tensor_size(w, 1);
    tensor *xt = tensor_zeros(DIST_F32, inner, rows), *wt = tensor_zeros(DIST_F32, columns, inner);
    tensor_transpose(xt, x);
    tensor_transpose(wt, w);
    halve(dy);
    tensor_matmul(dw, xt, dy);
    tensor_matmul(dx, dy, wt);
    dist_all_reduce(dx);
    tensor_free(wt);
    tensor_free(xt);
}
