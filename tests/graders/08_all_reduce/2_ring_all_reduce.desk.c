/* What each rank does in 08.2: an all-reduce, and where two are wanted another one, of more elements. */
#include "../../grader/desk.h"

void ring_all_reduce(tensor *x, int rank, int n);

void desk(int rank, int world_size)
{
    static const char *const names[] = { "x", "x again" };
    for (int call = 0; call < (int)desk_number("calls") && call < 2; call++) {
        dist_group_free(
            dist_new_group((int[]){ 0 }, 1)); /* all meet: two calls at the same time are another exercise */
        tensor *x = desk_tensor(names[call]);
        ring_all_reduce(x, rank, world_size);
        desk_hand_in(names[call], x);
    }
}
