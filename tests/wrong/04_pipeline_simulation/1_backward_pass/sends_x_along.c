/* feedback: an activation for the next stage and a gradient */
#include "dist.h"

/* y = relu(x w); the last layer has no relu. */
static tensor *layer_forward(tensor *x, tensor *w, bool last)
{
    tensor *y = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(w, 1));
    tensor_matmul(y, x, w);
    if (!last)
        tensor_relu(y);
    return y;
}

/* dw += x^T dy, and the result is dx = dy w^T. Where relu has cut off, no gradient comes through. */
static tensor *layer_backward(tensor *dy, tensor *x, tensor *y, tensor *w, tensor *dw, bool last)
{
    int64_t rows = tensor_size(x, 0), width = tensor_size(w, 0);
    tensor *xt = tensor_zeros(DIST_F64, width, rows), *wt = tensor_zeros(DIST_F64, width, width);
    tensor *part = tensor_zeros(DIST_F64, width, width), *dx = tensor_zeros(DIST_F64, rows, width);
    if (!last)
        tensor_relu_backward(dy, y);
    tensor_transpose(xt, x);
    tensor_matmul(part, xt, dy);
    tensor_add(dw, part);
    tensor_transpose(wt, w);
    tensor_matmul(dx, dy, wt);
    tensor_free(part);
    tensor_free(wt);
    tensor_free(xt);
    return dx;
}

/* x is the batch on rank 0, elsewhere room for what arrives. Only the last rank has a target; it is NULL on the others. */
void train_step(tensor *x, tensor *target, tensor *w, tensor *dw, int rank, int world_size)
{
    bool last = rank == world_size - 1;
    int64_t rows = tensor_size(x, 0), width = tensor_size(x, 1);
    tensor *both = tensor_zeros(DIST_F64, 2 * rows, width), *upper = tensor_slice(both, 0, rows);
    tensor *lower = tensor_slice(both, rows, 2 * rows);
    if (rank > 0) {
        dist_recv(both, rank - 1);
        tensor_copy(x, upper);
    }
    tensor *y = layer_forward(x, w, last);
    if (!last) {
        tensor_copy(upper, y);
        tensor_copy(lower, x); /* what for? the next stage never looks at it */
        dist_send(both, rank + 1);
    }
    tensor_free(lower);
    tensor_free(upper);
    tensor_free(both);

    tensor *dy = tensor_zeros(DIST_F64, tensor_size(y, 0), tensor_size(y, 1));
    /* TODO: fill dy. The last rank makes it, y - target (tensor_copy, tensor_sub). Where do the others get it from? */
    if (last) {
        tensor_copy(dy, y);
        tensor_sub(dy, target);
    } else {
        dist_recv(dy, rank + 1);
    }
    /* end of TODO */

    tensor *dx = layer_backward(dy, x, y, w, dw, last);
    /* TODO: who needs dx? */
    if (rank > 0)
        dist_send(dx, rank - 1);
    /* end of TODO */

    tensor_free(dx);
    tensor_free(dy);
    tensor_free(y);
}
