/* Two functions, for the half that gathers and the half that sums, serve both directions. */
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

static tensor *gathered(const tensor *mine)
{
    tensor *all = tensor_zeros(DIST_F32, dist_get_world_size() * tensor_size(mine, 0), tensor_size(mine, 1));
    tensor *out = tensor_clone(mine);
    dist_all_gather(all, out);
    tensor_free(out);
    return all;
}

/* Takes `part`. */
static void summed_and_cut(tensor *mine, tensor *part)
{
    dist_reduce_scatter(mine, part, .op = DIST_SUM);
    tensor_free(part);
}

/* Takes `a`. */
static tensor *times(tensor *a, const tensor *b)
{
    tensor *out = product(a, b);
    tensor_free(a);
    return out;
}

struct kept sequence_forward(tensor *y, const tensor *x, const tensor *w, const tensor *v, int world_size)
{
    struct kept kept = { gathered(x), NULL };
    (void)world_size;
    kept.middle = product(kept.x, w);
    tensor_relu(kept.middle);
    summed_and_cut(y, product(kept.middle, v));
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    tensor *all = gathered(dy), *vt = transposed(v), *wt = transposed(w), *made;
    tensor_copy(dv, made = times(transposed(kept->middle), all));
    tensor_free(made);
    all = times(all, vt);
    tensor_relu_backward(all, kept->middle);
    tensor_copy(dw, made = times(transposed(kept->x), all));
    tensor_free(made);
    summed_and_cut(dx, times(all, wt));
    tensor_free(vt);
    tensor_free(wt);
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
