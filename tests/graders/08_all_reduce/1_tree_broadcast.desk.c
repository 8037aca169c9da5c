/* What each rank does in 08.1. */
#include "../../grader/desk.h"

void tree_broadcast(tensor *x, int root, int rank, int n);

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    tree_broadcast(x, (int)desk_number("root"), rank, world_size);
    desk_hand_in("x", x);
}
