/* feedback: first wrong element of */
#include "dist.h"

static tensor *product(const tensor *a, const tensor *b)
{
    tensor *out = tensor_zeros(DIST_F32, tensor_size(a, 0), tensor_size(b, 1));
    tensor_matmul(out, a, b);
    return out;
}

static tensor *transposed(const tensor *a)
{
    tensor *out = tensor_zeros(DIST_F32, tensor_size(a, 1), tensor_size(a, 0));
    tensor_transpose(out, a);
    return out;
}

/* What forward keeps for backward: all rows of x, and relu(x w). */
struct kept {
    tensor *x, *middle;
};

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    for (int64_t i = 0; i < tensor_numel(x); i++) {
        tensor *half = tensor_full(DIST_F16, tensor_item(x, i), 1);
        tensor_set(x, i, tensor_item(half, 0));
        tensor_free(half);
    }
}

struct kept sequence_forward(tensor *y, const tensor *x, const tensor *w, const tensor *v, int world_size)
{
    struct kept kept = { tensor_zeros(DIST_F32, world_size * tensor_size(x, 0), tensor_size(x, 1)), NULL };

    /* TODO: fill kept.x, make kept.middle, and y. */
    dist_all_gather(kept.x, (tensor *)x);
    halve(kept.x);
    kept.middle = product(kept.x, w);
    tensor_relu(kept.middle);
    tensor *part = product(kept.middle, v);
    dist_reduce_scatter(y, part);
    tensor_free(part);
    /* end of TODO */
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    tensor *all = tensor_zeros(DIST_F32, tensor_size(kept->x, 0), tensor_size(kept->x, 1)); /* rows of dy */
    tensor *xt = transposed(kept->x), *mt = transposed(kept->middle), *wt = transposed(w),
           *vt = transposed(v);

    /* TODO: dv, dw and dx. (tensor_relu_backward wants the gradient, then what relu has given.) */
    dist_all_gather(all, dy);
    tensor_matmul(dv, mt, all);
    tensor *dmiddle = product(all, vt);
    tensor_relu_backward(dmiddle, kept->middle);
    tensor_matmul(dw, xt, dmiddle);
    tensor_matmul(all, dmiddle, wt);
    dist_reduce_scatter(dx, all);
    tensor_free(dmiddle);
    /* end of TODO */
    tensor *done[] = { all, xt, mt, wt, vt };
    for (int i = 0; i < 5; i++)
        tensor_free(done[i]);
}
