/* What each rank does in 03.1. */
#include "../../grader/desk.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *mine = desk_tensor("mine");
    tensor *traveller = desk_tensor("mine");
    once_round(traveller, mine, rank, world_size);
    desk_hand_in("traveller", traveller);
}
