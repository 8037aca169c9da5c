/* Makes all products the other way round, of turned matrices, and turns the results. */
#include "dist.h"

/* out = a b, as (b^T a^T)^T; either may be turned before. */
struct factor {
    const tensor *t;
    bool turned;
};

tensor *turn(const tensor *t)
{
    tensor *out = tensor_zeros(tensor_type(t), tensor_size(t, 1), tensor_size(t, 0));
    tensor_transpose(out, t);
    return out;
}

void product(tensor *out, struct factor a, struct factor b)
{
    tensor *left = b.turned ? tensor_clone(b.t) : turn(b.t),
           *right = a.turned ? tensor_clone(a.t) : turn(a.t);
    tensor *turned = tensor_zeros(tensor_type(out), tensor_size(out, 1), tensor_size(out, 0));
    tensor_matmul(turned, left, right);
    tensor_transpose(out, turned);
    tensor_free(turned);
    tensor_free(left);
    tensor_free(right);
}

void column_forward(tensor *y, tensor *x, const tensor *w)
{
    product(y, (struct factor){ .t = x }, (struct factor){ .t = w });
}

void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w)
{
    product(dw, (struct factor){ x, true }, (struct factor){ .t = dy });
    product(dx, (struct factor){ .t = dy }, (struct factor){ .t = w, .turned = true });
    dist_all_reduce(dx);
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
