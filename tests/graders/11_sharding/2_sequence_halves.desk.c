/* What each rank does in 11.2. */
#include "../../grader/desk.h"

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

void desk(int rank, int world_size)
{
    (void)rank;
    int64_t rows = (int64_t)desk_number("rows"), width = (int64_t)desk_number("width");
    int64_t middle = (int64_t)desk_number("middle");
    tensor *w = desk_matrix("w", width, middle), *v = desk_matrix("v", middle, width);
    tensor *y = room(rows, width), *dx = room(rows, width), *dw = room(width, middle),
           *dv = room(middle, width);
    struct kept kept = sequence_forward(y, desk_matrix("x", rows, width), w, v, world_size);
    desk_hand_in("y", y);
    if (kept.middle)
        sequence_backward(dx, dw, dv, desk_matrix("dy", rows, width), w, v, &kept);
    desk_hand_in("dv", dv);
    desk_hand_in("dw", dw);
    desk_hand_in("dx", dx);
    tensor *all[] = { y, dx, dw, dv, kept.x, kept.middle };
    for (int i = 0; i < 6; i++)
        tensor_free(all[i]);
}
