/* Keeps what backward needs turned already, and cuts off with a mask of its own. */
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
    tensor *own = tensor_view(x, tensor_numel(x)), *flat = tensor_view(kept.x, tensor_numel(kept.x));
    dist_all_gather(flat, own);
    kept.middle = product(kept.x, w);
    for (int64_t i = 0; i < tensor_numel(kept.middle); i++)
        if (tensor_item(kept.middle, i) < 0)
            tensor_set(kept.middle, i, 0);
    tensor *part = product(kept.middle, v), *rows = tensor_view(part, tensor_numel(part));
    dist_reduce_scatter(y, rows);
    for (tensor **t = (tensor *[]){ own, flat, part, rows, NULL }; *t; t++)
        tensor_free(*t);
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    tensor *all = tensor_zeros(DIST_F32, tensor_size(kept->x, 0), tensor_size(kept->x, 1));
    tensor *xt = transposed(kept->x), *mt = transposed(kept->middle), *wt = transposed(w),
           *vt = transposed(v);
    dist_all_gather(all, dy);
    tensor_matmul(dv, mt, all);
    tensor *slope = product(all, vt);
    float *d = tensor_data(slope);
    const float *m = tensor_data(kept->middle);
    for (int64_t i = 0; i < tensor_numel(slope); i++)
        d[i] = m[i] > 0 ? d[i] : 0;
    tensor_matmul(dw, xt, slope);
    tensor_matmul(all, slope, wt);
    dist_reduce_scatter(dx, all);
    tensor *done[] = { all, xt, mt, wt, vt, slope };
    for (int i = 0; i < 6; i++)
        tensor_free(done[i]);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank + 1, 1, 2), *w = tensor_full(DIST_F32, 1, 2, 3),
           *v = tensor_full(DIST_F32, 1, 3, 2);
    tensor *y = tensor_zeros(DIST_F32, 1, 2), *dx = tensor_zeros(DIST_F32, 1, 2);
    tensor *dw = tensor_zeros(DIST_F32, 2, 3), *dv = tensor_zeros(DIST_F32, 3, 2);
    struct kept kept = sequence_forward(y, x, w, v, world_size);
    tensor_print(y, "rank %d: y", rank);
    if (kept.middle)
        sequence_backward(dx, dw, dv, y, w, v, &kept);
    tensor_print(dx, "rank %d: dx", rank);
    tensor *all[] = { x, w, v, y, dx, dw, dv, kept.x, kept.middle };
    for (int i = 0; i < 9; i++)
        tensor_free(all[i]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
