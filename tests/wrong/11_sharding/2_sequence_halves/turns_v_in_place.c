/* feedback: w and v are const, and yet one of them was changed */
#include "dist.h"

struct kept {
    tensor *x, *middle;
};

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
    tensor *all = tensor_zeros(DIST_F32, tensor_size(kept->x, 0), tensor_size(kept->x, 1));
    tensor *xt = transposed(kept->x), *mt = transposed(kept->middle), *wt = transposed(w),
           *room = transposed(v);
    tensor_copy((tensor *)v, room);
    tensor *vt = tensor_view(v, tensor_size(v, 1), tensor_size(v, 0));
    dist_all_gather(all, dy);
    tensor_matmul(dv, mt, all);
    tensor *dmiddle = product(all, vt);
    tensor_relu_backward(dmiddle, kept->middle);
    tensor_matmul(dw, xt, dmiddle);
    tensor_matmul(all, dmiddle, wt);
    dist_reduce_scatter(dx, all);
    tensor *done[] = { dmiddle, vt, all, xt, mt, wt, room };
    for (int i = 0; i < 7; i++)
        tensor_free(done[i]);
}
