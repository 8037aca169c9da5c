/* feedback: first wrong element of dw */
/*
 * 1_backward_pass.c: exercise 04.1. Activations have travelled forward through the stages. Send the gradients back.
 *
 *     x --> [ rank 0 ] --y--> [ rank 1 ] --y--> [ rank 2 ] --y--> [ rank 3 ] --y--+
 *           [        ]        [        ]        [        ]        [        ]      |  target
 *           [   dw   ] <-dx-- [   dw   ] <-dx-- [   dw   ] <-dx-- [   dw   ] <-dy-+  dy = y - target
 *
 * Each rank has one layer: y = relu(x w), on the last rank y = x w. The forward pass is there, and so is the arithmetic of a
 * layer. What is missing is where the gradient by y comes from, and where the gradient by x goes to. In the end each rank's
 * dw must be what the undivided network would have computed. Over each window go one activation and one gradient. No collectives.
 * The numbers are F64 and whole, so that every bit can be compared.
 *
 * Grade it:  make exercise-04.1        Run it:  make try-04.1 N=4        A hint:  make hint-04.1
 */
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
    if (rank > 0)
        dist_recv(x, rank - 1);
    tensor *y = layer_forward(x, w, last);
    if (!last)
        dist_send(y, rank + 1);

    tensor *dy = tensor_zeros(DIST_F64, tensor_size(y, 0), tensor_size(y, 1));
    /* TODO: fill dy. The last rank makes it, y - target (tensor_copy, tensor_sub). Where do the others get it from? */
    if (last) {
        for (int64_t i = 0; i < tensor_numel(y); i++) {
            float value = tensor_item(y, i), wanted = tensor_item(target, i);
            tensor_set(dy, i, value - wanted);
        }
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

/* Small whole numbers, so that every sum is exact. */
static tensor *make_matrix(int seed, int rows, int columns)
{
    tensor *t = tensor_zeros(DIST_F64, rows, columns);
    for (int i = 0; i < rows * columns; i++)
        tensor_set(t, i, (i * 5 + seed * 3) % 4 - 1);
    return t;
}

static void run(int rank, int world_size)
{
    enum { ROWS = 2, WIDTH = 3 };
    dist_init_process_group();
    tensor *x = make_matrix(1, ROWS, WIDTH);
    tensor *target = rank == world_size - 1 ? make_matrix(2, ROWS, WIDTH) : NULL;
    tensor *w = make_matrix(3 + rank, WIDTH, WIDTH), *dw = tensor_zeros(DIST_F64, WIDTH, WIDTH);
    train_step(x, target, w, dw, rank, world_size);
    tensor_print(dw, "rank %d: gradient", rank);
    tensor_free(dw);
    tensor_free(w);
    tensor_free(target);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
