/* The sum is made in a tensor of its own, flat, and copied. */
#include "dist.h"

static tensor *transposed(const tensor *a)
{
    tensor *out = tensor_zeros(tensor_type(a), tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(out, a);
    return out;
}

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    tensor *copy = tensor_clone(x), *product = tensor_clone(y);
    tensor_matmul(product, copy, w);
    tensor_copy(y, product);
    tensor_free(product);
    tensor_free(copy);
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    tensor *turned[] = { transposed(x), transposed(w) };
    tensor *part = tensor_zeros(tensor_type(x), tensor_size(x, 0), tensor_size(x, 1));
    tensor *flat = tensor_view(part, tensor_numel(part));
    tensor_matmul(part, dy, turned[1]);
    dist_all_reduce(flat);
    tensor_matmul(dw, turned[0], dy);
    tensor_copy(dx, flat);
    for (int i = 0; i < 2; i++)
        tensor_free(turned[i]);
    tensor_free(flat);
    tensor_free(part);
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
