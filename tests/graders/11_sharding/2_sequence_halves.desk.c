/* What each rank does in 11.2. */
#include "../../grader/desk.h"

#include <math.h>

struct kept {
    tensor *x, *middle;
};
struct kept sequence_forward(tensor *y, const tensor *x, const tensor *w, const tensor *v, int world_size);
void sequence_backward(tensor *dx, tensor *dw, tensor *dv, tensor *dy, const tensor *w, const tensor *v,
                       const struct kept *kept);

static tensor *room(int64_t rows, int64_t columns)
{
    return tensor_full(DIST_F32, -1, rows, columns);
}

/* Of this rank. */
static tensor *x, *dy, *w, *v, *y, *dx, *dw, *dv;
static bool same; /* w and v after each call */

/* Forward and backward, with room that nobody has written into. */
static void there_and_back(double factor, int world_size)
{
    tensor *rooms[] = { y, dx, dw, dv };
    for (int i = 0; i < 4; i++)
        tensor_fill(rooms[i], -1);
    tensor *from = desk_times(dy, factor), *in = desk_times(x, factor), *first = desk_times(w, fabs(factor)),
           *second = desk_times(v, factor), *before[] = { tensor_clone(first), tensor_clone(second) };
    struct kept kept = sequence_forward(y, in, first, second, world_size);
    if (kept.middle)
        sequence_backward(dx, dw, dv, from, first, second, &kept);
    same = same && tensor_equal(first, before[0]) && tensor_equal(second, before[1]);
    tensor *done[] = { kept.x, kept.middle, second, first, in, from, before[0], before[1] };
    for (int i = 0; i < 8; i++)
        tensor_free(done[i]);
}

/* The last call is handed in: what it finds must be as good as what the first one found. */
void desk(int rank, int world_size)
{
    (void)rank;
    int64_t rows = (int64_t)desk_number("rows"), width = (int64_t)desk_number("width");
    int64_t middle = (int64_t)desk_number("middle");
    x = desk_matrix("x", rows, width), dy = desk_matrix("dy", rows, width);
    w = desk_matrix("w", width, middle), v = desk_matrix("v", middle, width);
    y = room(rows, width), dx = room(rows, width), dw = room(width, middle), dv = room(middle, width);
    same = true;
    for (int call = 0, calls = (int)desk_number("calls"); call < calls; call++)
        there_and_back(call + 1 < calls ? -2 : 1, world_size);
    desk_hand_in("y", y);
    desk_hand_in("dv", dv);
    desk_hand_in("dw", dw);
    desk_hand_in("dx", dx);
    desk_hand_in_number("w and v are the same", same);
    tensor *all[] = { y, dx, dw, dv };
    for (int i = 0; i < 4; i++)
        tensor_free(all[i]);
}
