/* A struct for what a stage knows, and helpers that do nothing where there is no neighbour. */
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

struct stage {
    int before, after; /* -1: nobody */
};

static void send_to(tensor *t, int rank)
{
    if (rank >= 0)
        dist_send(t, rank);
}

static bool recv_from(tensor *t, int rank)
{
    if (rank >= 0)
        dist_recv(t, rank);
    return rank >= 0;
}

void train_step(tensor *x, tensor *target, tensor *w, tensor *dw, int rank, int world_size)
{
    struct stage s = { rank - 1, rank + 1 < world_size ? rank + 1 : -1 };
    recv_from(x, s.before);
    tensor *y = layer_forward(x, w, s.after < 0), *dy = tensor_clone(y);
    send_to(y, s.after);
    if (!recv_from(dy, s.after))
        tensor_sub(dy, target);
    tensor *dx = layer_backward(dy, x, y, w, dw, s.after < 0);
    send_to(dx, s.before);
    tensor_free(dx);
    tensor_free(dy);
    tensor_free(y);
}
