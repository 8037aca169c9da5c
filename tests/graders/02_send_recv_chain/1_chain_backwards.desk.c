/* What each rank does in 02.1. */
#include "../../grader/desk.h"

void chain_backwards(tensor *x, tensor *mine, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *mine = desk_tensor("mine");
    tensor *x = desk_tensor("mine");
    chain_backwards(x, mine, rank, world_size);
    desk_hand_in("x", x);
}
