/* What each rank does in 02.2. */
#include "../../grader/desk.h"

void growing_list(tensor *list, tensor *mine, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *list = desk_room(DIST_F32, rank + 1);
    growing_list(list, desk_tensor("mine"), rank, world_size);
    desk_hand_in("list", list);
}
