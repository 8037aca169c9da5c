/* What each rank does in 08.1: a broadcast, and where two are wanted another one, from another root. */
#include "../../grader/desk.h"

void tree_broadcast(tensor *x, int root, int rank, int n);

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    tree_broadcast(x, (int)desk_number("root"), rank, world_size);
    desk_hand_in("x", x);
    if (desk_number("calls") < 2)
        return;
    dist_group_free(
        dist_new_group((int[]){ 0 }, 1)); /* all meet: two calls at the same time are another exercise */
    tensor *again = desk_tensor("x again");
    tree_broadcast(again, (int)desk_number("root again"), rank, world_size);
    desk_hand_in("x again", again);
}
