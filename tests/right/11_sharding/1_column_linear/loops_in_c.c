/* Three loops in C for each product, over the elements where they lie. */
#include "dist.h"

#define AT(t, i, j) (((float *)tensor_data(t))[(i)*tensor_size(t, 1) + (j)])

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    tensor_fill(y, 0);
    for (int64_t k = 0; k < tensor_size(w, 0); k++)
        for (int64_t j = 0; j < tensor_size(y, 1); j++)
            for (int64_t i = 0; i < tensor_size(y, 0); i++)
                AT(y, i, j) += AT(x, i, k) * AT(w, k, j);
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    int64_t rows = tensor_size(x, 0), inner = tensor_size(x, 1), columns = tensor_size(w, 1);
    tensor_fill(dx, 0);
    tensor_fill(dw, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < columns; j++) {
                AT(dx, i, k) += AT(dy, i, j) * AT(w, k, j);
                AT(dw, k, j) += AT(x, i, k) * AT(dy, i, j);
            }
    dist_all_reduce(dx, .op = DIST_SUM);
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
