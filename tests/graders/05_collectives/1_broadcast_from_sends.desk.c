/* What each rank does in 05.1. */
#include "../../grader/desk.h"

void broadcast(tensor *x, int src, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    broadcast(x, (int)desk_number("src"), rank, world_size);
    desk_hand_in("x", x);
}
