/* feedback: something on their way is an F32 */
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

/* Through an F32. */
static void shorten(tensor *t)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        tensor_set(t, i, (float)tensor_item(t, i));
}

void forward(tensor **y, tensor **shares, int layers, int64_t width)
{
    for (int l = 0; l < layers; l++) {
        y[l + 1] = NULL;
        /* TODO: gather, layer_forward, free. */
        tensor *w = tensor_zeros(DIST_F64, width, width);
        dist_all_gather(w, shares[l]);
        y[l + 1] = layer_forward(y[l], w);
        shorten(y[l + 1]);
        tensor_free(w);
        /* end of TODO */
    }
}

/* dy is the gradient by y[layers], and yours to free. */
void backward(tensor **gradients, tensor *dy, tensor **y, tensor **shares, int layers, int64_t width)
{
    /* TODO: from the last layer to the first: what is gathered, what is cut, what is freed? */
    for (int l = layers - 1; l >= 0; l--) {
        tensor *w = tensor_zeros(DIST_F64, width, width), *dw = tensor_zeros(DIST_F64, width, width);
        dist_all_gather(w, shares[l]);
        dy = layer_backward(dw, dy, y[l + 1], y[l], w);
        tensor_free(w);
        dist_reduce_scatter(gradients[l], dw);
        tensor_free(dw);
    }
    /* end of TODO */
    tensor_free(dy);
}
