/* Through the stages by loops: forward from the first to the last, backward from the last to the first. */
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

void train_step(tensor *x, tensor *target, tensor *w, tensor *dw, int rank, int world_size)
{
    bool last = rank == world_size - 1;
    tensor *y = NULL, *dy = NULL, *dx = NULL;
    for (int stage = 0; stage < world_size; stage++) {
        if (stage != rank)
            continue;
        if (stage > 0)
            dist_recv(x, stage - 1);
        y = layer_forward(x, w, last);
        if (!last)
            dist_send(y, stage + 1);
    }
    dy = tensor_zeros(DIST_F64, tensor_size(y, 0), tensor_size(y, 1));
    for (int stage = world_size - 1; stage >= 0; stage--) {
        if (stage == rank && last) {
            tensor_copy(dy, y);
            tensor_sub(dy, target);
        }
        if (stage == rank) {
            dx = layer_backward(dy, x, y, w, dw, last);
            if (stage > 0)
                dist_send(dx, stage - 1);
        } else if (stage == rank + 1) {
            dist_recv(dy, stage);
        }
    }
    tensor_free(dx);
    tensor_free(dy);
    tensor_free(y);
}
