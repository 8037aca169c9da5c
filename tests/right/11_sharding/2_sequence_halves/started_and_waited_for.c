/* Both collectives are started, and something else is made before the wait. */
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
    struct kept kept;
    kept.x = tensor_zeros(DIST_F32, tensor_size(x, 0) * world_size, tensor_size(x, 1));
    tensor *mine = tensor_clone(x);
    dist_wait(dist_all_gather(kept.x, mine, .async_op = true));
    tensor_free(mine);
    kept.middle = product(kept.x, w);
    tensor_relu(kept.middle);
    tensor *part = product(kept.middle, v);
    dist_wait(dist_reduce_scatter(y, part, .async_op = true));
    tensor_free(part);
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    tensor *all = tensor_clone(kept->x);
    dist_work *gather = dist_all_gather(all, dy, .async_op = true);
    tensor *vt = transposed(v), *wt = transposed(w);
    dist_wait(gather);
    tensor *dmiddle = product(all, vt);
    tensor_relu_backward(dmiddle, kept->middle);
    tensor *part = product(dmiddle, wt), *xt = transposed(kept->x), *mt = transposed(kept->middle);
    dist_work *scatter = dist_reduce_scatter(dx, part, .async_op = true);
    tensor_matmul(dw, xt, dmiddle);
    tensor_matmul(dv, mt, all);
    dist_wait(scatter);
    tensor *done[] = { all, vt, wt, dmiddle, part, xt, mt };
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
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
