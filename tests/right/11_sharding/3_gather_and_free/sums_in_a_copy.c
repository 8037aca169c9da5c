/* Copies the share before it gathers, and the gradient after it was cut. */
#include "dist.h"

/* relu(x w), a new tensor. */
static tensor *layer_forward(const tensor *x, const tensor *w)
{
    tensor *y = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(w, 1));
    tensor_matmul(y, x, w);
    tensor_relu(y);
    return y;
}

/* dw becomes the gradient by w; dy, by y, is freed, and a new one given: by x. */
static tensor *layer_backward(tensor *dw, tensor *dy, const tensor *y, const tensor *x, const tensor *w)
{
    tensor *turned = tensor_zeros(DIST_F64, tensor_size(x, 1), tensor_size(x, 0));
    tensor_relu_backward(dy, y);
    tensor_transpose(turned, x);
    tensor_matmul(dw, turned, dy);
    tensor_free(turned);
    turned = tensor_zeros(DIST_F64, tensor_size(w, 1), tensor_size(w, 0));
    tensor_transpose(turned, w);
    tensor *dx = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(x, 1));
    tensor_matmul(dx, dy, turned);
    tensor_free(turned);
    tensor_free(dy);
    return dx;
}

void forward(tensor **y, tensor **shares, int layers, int64_t width)
{
    int l = 0;
next:
    dist_span("desk: forward %d", l) {
        tensor *w = tensor_zeros(DIST_F64, width, width), *share = tensor_clone(shares[l]);
        dist_all_gather(w, share);
        tensor_free(share);
        y[l + 1] = layer_forward(y[l], w);
        tensor_free(w);
    }
    if (++l < layers)
        goto next;
}

void backward(tensor **gradients, tensor *dy, tensor **y, tensor **shares, int layers, int64_t width)
{
    for (int l = layers - 1; l >= 0; --l) {
        tensor *late = tensor_clone(gradients[l]), *dw = tensor_zeros(DIST_F64, width, width);
        tensor *w = tensor_zeros(DIST_F64, width, width);
        dist_all_gather(w, shares[l]);
        dy = layer_backward(dw, dy, y[l + 1], y[l], w);
        tensor_free(w);
        dist_reduce_scatter(late, dw, .op = DIST_SUM);
        tensor_free(dw);
        tensor_copy(gradients[l], late);
        tensor_free(late);
    }
    tensor_free(dy);
}
