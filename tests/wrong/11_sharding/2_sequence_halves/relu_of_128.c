/* feedback: first wrong element */
/*
 * 2_sequence_halves.c: exercise 11.2. An MLP cut over the ranks, y = relu(x w) v, as Megatron has it: columns of w, rows of v. Its
 * parts of y are summed by an all_reduce, after which every rank holds all rows of y. Here each rank keeps only its rows: the
 * all_reduce becomes two halves, and the rows between two layers are cut too.
 *
 *     x, my rows --> [ all rows ] --> relu(x w) v --> [ a part of all rows ] --> y, my rows
 *                  dist_all_gather                   dist_reduce_scatter
 *
 * On each rank: x, y, dx and dy are rows x width, w is width x middle, v is middle x width, dw and dv are like w and v. Rank r
 * has rows r * rows to (r + 1) * rows - 1 of the whole. Backward goes the same way back: what was gathered is summed and cut, what
 * was summed and cut is gathered. Each of the two collectives is needed once in each direction; nothing else travels.
 *
 * Grade it:  make exercise-11.2        Run it:  make try-11.2 N=4        A hint:  make hint-11.2
 */
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

    /* TODO: fill kept.x, make kept.middle, and y. */
    dist_all_gather(kept.x, (tensor *)x);
    kept.middle = product(kept.x, w);
    float values[128];
    int64_t count = tensor_numel(kept.middle) < 128 ? tensor_numel(kept.middle) : 128;
    for (int64_t i = 0; i < count; i++) {
        values[i] = (float)tensor_item(kept.middle, i);
        tensor_set(kept.middle, i, values[i] > 0 ? values[i] : 0);
    }
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
