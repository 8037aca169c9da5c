/* The sum is under way while dw is made. */
#include "dist.h"

static tensor *transposed(const tensor *a)
{
    tensor *out = tensor_zeros(tensor_type(a), tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(out, a);
    return out;
}

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    dist_span("desk: forward") {
        tensor_matmul(y, x, w);
    }
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    tensor *wt = transposed(w), *xt;
    tensor_matmul(dx, dy, wt);
    dist_work *sum = dist_all_reduce(dx, .async_op = true);
    tensor_matmul(dw, xt = transposed(x), dy);
    dist_wait(sum);
    tensor_free(xt);
    tensor_free(wt);
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
