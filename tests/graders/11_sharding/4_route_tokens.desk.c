/* What each rank does in 11.4. */
#include "../../grader/desk.h"

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows));

/* Of this rank; ranks may be threads. */
static _Thread_local int expert, rows_seen;

static void work(tensor *rows)
{
    desk_late();
    rows_seen += (int)tensor_size(rows, 0);
    tensor_mul_scalar(rows, expert + 2);
    tensor_add_scalar(rows, 1000 * (expert + 1));
}

/* Before and behind the choices lie ranks, too: who reads there takes a row that does not exist. */
void desk(int rank, int world_size)
{
    tensor *choice = desk_tensor("choice");
    int64_t width = (int64_t)desk_number("width"), tokens = tensor_numel(choice), guarded[18] = { 0 },
            *choices = guarded + 1;
    tensor *y = tensor_full(DIST_F32, -1, tokens, width);
    expert = rank;
    rows_seen = 0;
    tensor_read(choice, choices);
    route(y, desk_matrix("x", tokens, width), choices, world_size, work);
    desk_hand_in("y", y);
    desk_hand_in_number("rows", rows_seen);
    tensor_free(y);
}
