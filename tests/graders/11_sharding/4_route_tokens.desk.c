/* What each rank does in 11.4. */
#include "../../grader/desk.h"

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows));

/* Of this rank; ranks may be threads. */
static _Thread_local int expert, rows_seen, works;

static void work(tensor *rows)
{
    desk_late();
    rows_seen += (int)tensor_size(rows, 0);
    works++;
    tensor_mul_scalar(rows, expert + 2);
    tensor_add_scalar(rows, 1000 * (expert + 1));
}

enum { MOST = 1000 }; /* tokens */

/* The last of several calls is handed in. With each all choices are one expert further on. Before and behind the choices lie ranks, too:
 * who reads there takes a row that does not exist. */
void desk(int rank, int world_size)
{
    tensor *choice = desk_tensor("choice");
    int64_t width = (int64_t)desk_number("width"), tokens = tensor_numel(choice), guarded[MOST + 2] = { 0 },
            *choices = guarded + 1;
    tensor *x = desk_matrix("x", tokens, width), *y = tensor_full(DIST_F32, -1, tokens, width);
    tensor *before = tensor_clone(x);
    int calls = (int)desk_number("calls");
    expert = rank;
    works = 0;
    tensor_read(choice, choices);
    for (int call = 0; call < calls; call++) {
        for (int64_t i = 0; call > 0 && i < tokens; i++)
            choices[i] = (choices[i] + 1) % world_size;
        rows_seen = 0;
        tensor_fill(y, -1);
        route(y, x, choices, world_size, work);
    }
    desk_hand_in("y", y);
    desk_hand_in_number("rows", rows_seen);
    desk_hand_in_number("works", works);
    desk_hand_in_number("x is the same", tensor_equal(x, before));
    tensor_free(before);
    tensor_free(y);
}
