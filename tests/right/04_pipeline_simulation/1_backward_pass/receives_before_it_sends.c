/* The receive of the gradient is started before the activation goes; spans of its own, with names of all kinds. */
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
    dist_work *back = NULL, *leaving = NULL;
    if (rank > 0)
        dist_recv(x, rank - 1);
    tensor *y = NULL, *dx = NULL;
    dist_span("forward %d", rank)
        y = layer_forward(x, w, last);
    tensor *dy = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(w, 1));
    if (!last) {
        back = dist_irecv(dy, rank + 1);
        leaving = dist_isend(y, rank + 1);
        dist_wait(back);
        dist_wait(leaving);
    } else {
        for (int64_t i = 0; i < tensor_numel(y); i++)
            tensor_set(dy, i, tensor_item(y, i) - tensor_item(target, i));
    }
    dist_span("backward %d", rank)
        dx = layer_backward(dy, x, y, w, dw, last);
    if (rank > 0)
        dist_wait(dist_isend(dx, rank - 1));
    tensor_free(dx);
    tensor_free(dy);
    tensor_free(y);
}
