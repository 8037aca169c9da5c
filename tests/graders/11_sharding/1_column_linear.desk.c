/* What each rank does in 11.1. */
#include "../../grader/desk.h"

void column_forward(tensor *y, tensor *x, const tensor *w);
void column_backward(tensor *dx, tensor *dw, tensor *dy, const tensor *x, const tensor *w);

static tensor *room(int64_t rows, int64_t columns)
{
    return tensor_full(DIST_F32, -1, rows, columns);
}

/* The last call is handed in: what it finds must be as good as what the first one found. */
void desk(int rank, int world_size)
{
    (void)rank, (void)world_size;
    int64_t rows = (int64_t)desk_number("rows"), inner = (int64_t)desk_number("inner");
    int64_t columns = (int64_t)desk_number("columns");
    tensor *x = desk_matrix("x", rows, inner), *w = desk_matrix("w", inner, columns);
    tensor *y = room(rows, columns), *dx = room(rows, inner), *dw = room(inner, columns);
    tensor *dy = desk_matrix("dy", rows, columns);
    bool kept = true;
    for (int call = 0, calls = (int)desk_number("calls"); call < calls; call++) {
        double factor = call + 1 < calls ? -2 : 1;
        tensor_fill(y, -1);
        tensor_fill(dx, -1);
        tensor_fill(dw, -1);
        tensor *in = desk_times(x, factor), *same = tensor_clone(in), *weights = desk_times(w, factor),
               *from = desk_times(dy, factor), *before = tensor_clone(weights);
        column_forward(y, in, weights);
        column_backward(dx, dw, from, same, weights);
        kept = kept && tensor_equal(weights, before);
        tensor *done[] = { in, same, weights, from, before };
        for (int i = 0; i < 5; i++)
            tensor_free(done[i]);
    }
    desk_hand_in("y", y);
    desk_hand_in("dw", dw);
    desk_hand_in("dx", dx);
    desk_hand_in_number("w is the same", kept);
    tensor_free(dw);
    tensor_free(dx);
    tensor_free(y);
}
