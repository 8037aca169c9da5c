/* What each rank does in 08.1: a broadcast, and where two are wanted another one, from another root. */
#include "../../grader/desk.h"

void tree_broadcast(tensor *x, int root, int rank, int n);

static void broadcast(const char *name, const char *root, int rank, int world_size)
{
    tensor *x = desk_tensor(name);
    desk_times_exactly(x, DESK_WIDEN);
    tree_broadcast(x, (int)desk_number(root), rank, world_size);
    desk_times_exactly(x, DESK_NARROW);
    desk_hand_in(name, x);
}

void desk(int rank, int world_size)
{
    broadcast("x", "root", rank, world_size);
    if (desk_number("calls") < 2)
        return;
    dist_group_free(
        dist_new_group((int[]){ 0 }, 1)); /* all meet: two calls at the same time are another exercise */
    broadcast("x again", "root again", rank, world_size);
}
