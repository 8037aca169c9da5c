/* feedback: first wrong element of y */
/*
 * 1_column_linear.c: exercise 11.1. A linear layer y = x w, its columns cut over the ranks: forward, and backward.
 *
 *     w  [ columns of rank 0 | columns of rank 1 | columns of rank 2 ]        x is the same on every rank
 *     y  [ columns of rank 0 | columns of rank 1 | columns of rank 2 ]        each rank makes its own
 *
 * On each rank: x is rows x inner, w is inner x columns, y and dy are rows x columns. dy is the gradient by y. Fill in
 *
 *     dw    the gradient by this rank's w, inner x columns
 *     dx    the gradient by x, rows x inner, the same on every rank: x has gone into the columns of all
 *
 * One collective is allowed, dist_all_reduce, where it is needed; no messages.
 *
 * Grade it:  make exercise-11.1        Run it:  make try-11.1 N=4        A hint:  make hint-11.1
 */
#include "dist.h"

static tensor *transposed(const tensor *a)
{
    tensor *out = tensor_zeros(tensor_type(a), tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(out, a);
    return out;
}

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    /* TODO: this rank's columns of y. */
    int64_t rows = tensor_size(x, 0), inner = tensor_size(x, 1), columns = tensor_size(w, 1);
    for (int64_t r = 0; r < rows; r++) {
        double sums[8] = { 0 };
        for (int64_t k = 0; k < inner; k++)
            for (int64_t c = 0; c < columns && c < 8; c++)
                sums[c] += tensor_item(x, r * inner + k) * tensor_item(w, k * columns + c);
        for (int64_t c = 0; c < columns && c < 8; c++)
            tensor_set(y, r * columns + c, sums[c]);
    }
    /* end of TODO */
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    tensor *xt = transposed(x), *wt = transposed(w); /* inner x rows; columns x inner */

    /* TODO: dw and dx, from xt, wt and dy. */
    tensor_matmul(dw, xt, dy);
    tensor_matmul(dx, dy, wt);
    dist_all_reduce(dx);
    /* end of TODO */
    tensor_free(wt);
    tensor_free(xt);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, 1, 2, 3), *w = tensor_full(DIST_F32, rank + 1, 3, 2);
    tensor *y = tensor_zeros(DIST_F32, 2, 2), *dx = tensor_zeros(DIST_F32, 2, 3),
           *dw = tensor_zeros(DIST_F32, 3, 2);
    column_forward(y, x, w);
    column_backward(dx, dw, y, x, w);
    tensor_print(y, "rank %d: y", rank);
    tensor_print(dw, "rank %d: dw", rank);
    tensor_print(dx, "rank %d: dx", rank);
    tensor *all[] = { x, w, y, dx, dw };
    for (int i = 0; i < 5; i++)
        tensor_free(all[i]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
