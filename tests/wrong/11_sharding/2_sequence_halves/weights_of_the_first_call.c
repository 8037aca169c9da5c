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

struct kept sequence_forward(tensor *y, const tensor *x, const tensor *w, const tensor *v, int world_size)
{
    struct kept kept = { tensor_zeros(DIST_F32, world_size * tensor_size(x, 0), tensor_size(x, 1)), NULL };

    dist_all_gather(kept.x, (tensor *)x);
    kept.middle = product(kept.x, w);
    tensor_relu(kept.middle);
    tensor *part = product(kept.middle, v);
    dist_reduce_scatter(y, part);
    tensor_free(part);
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    tensor *all = tensor_zeros(DIST_F32, tensor_size(kept->x, 0), tensor_size(kept->x, 1)); /* rows of dy */
    tensor *xt = transposed(kept->x), *mt = transposed(kept->middle);
    static tensor *wt, *vt;
    if (!wt) {
        wt = transposed(w);
        vt = transposed(v);
    }

    dist_all_gather(all, dy);
    tensor_matmul(dv, mt, all);
    tensor *dmiddle = product(all, vt);
    tensor_relu_backward(dmiddle, kept->middle);
    tensor_matmul(dw, xt, dmiddle);
    tensor_matmul(all, dmiddle, wt);
    dist_reduce_scatter(dx, all);
    tensor_free(dmiddle);
    tensor *done[] = { all, xt, mt };
    for (int i = 0; i < 3; i++)
        tensor_free(done[i]);
}
