/* Goes through the rows of one rank after the other, by slices. */
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

static tensor *rows_of(const tensor *all, int rank, int world_size)
{
    int64_t rows = tensor_size(all, 0) / world_size;
    return tensor_slice(all, rank * rows, (rank + 1) * rows);
}

struct kept sequence_forward(tensor *y, const tensor *x, const tensor *w, const tensor *v, int world_size)
{
    int64_t rows = world_size * tensor_size(x, 0), width = tensor_size(x, 1);
    struct kept kept = { .x = tensor_zeros(DIST_F32, rows, width),
                         .middle = tensor_zeros(DIST_F32, rows, tensor_size(w, 1)) };
    tensor *part = tensor_zeros(DIST_F32, rows, width);
    tensor *mine = rows_of(kept.x, dist_get_rank(), world_size);
    tensor_copy(mine, x);
    dist_all_gather(kept.x, mine);
    tensor_free(mine);
    for (int r = world_size - 1; r >= 0; r--) {
        tensor *in = rows_of(kept.x, r, world_size), *between = rows_of(kept.middle, r, world_size),
               *out = rows_of(part, r, world_size);
        tensor_matmul(between, in, w);
        tensor_relu(between);
        tensor_matmul(out, between, v);
        tensor_free(out);
        tensor_free(between);
        tensor_free(in);
    }
    dist_reduce_scatter(y, part);
    tensor_free(part);
    return kept;
}

void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept)
{
    int n = dist_get_world_size();
    tensor *all = tensor_clone(kept->x), *vt = transposed(v), *wt = transposed(w);
    dist_all_gather(all, dy);
    tensor_fill(dw, 0);
    tensor_fill(dv, 0);
    for (int r = 0; r < n; r++) {
        tensor *in = rows_of(kept->x, r, n), *between = rows_of(kept->middle, r, n),
               *out = rows_of(all, r, n);
        tensor *it = transposed(in), *bt = transposed(between), *d = product(out, vt), *more;
        tensor_relu_backward(d, between);
        tensor_add(dw, more = product(it, d));
        tensor_free(more);
        tensor_add(dv, more = product(bt, out));
        tensor_free(more);
        tensor_matmul(out, d, wt);
        tensor *done[] = { in, between, out, it, bt, d };
        for (int i = 0; i < 6; i++)
            tensor_free(done[i]);
    }
    dist_reduce_scatter(dx, all);
    tensor_free(wt);
    tensor_free(vt);
    tensor_free(all);
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
