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
    for (int call = 0; call < (int)desk_number("calls"); call++) {
        tensor_fill(y, -1);
        tensor_fill(dx, -1);
        tensor_fill(dw, -1);
        tensor *in = tensor_clone(x), *from = tensor_clone(dy);
        column_forward(y, in, w);
        column_backward(dx, dw, from, x, w);
        tensor_free(from);
        tensor_free(in);
    }
    desk_hand_in("y", y);
    desk_hand_in("dw", dw);
    desk_hand_in("dx", dx);
    tensor_free(dw);
    tensor_free(dx);
    tensor_free(y);
}
