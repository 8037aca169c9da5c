/* What each rank does in 01.1. */
#include "../../grader/desk.h"

void who_is_everyone(tensor *list, tensor *secret);

void desk(int rank, int world_size)
{
    (void)rank;
    tensor *secret = desk_tensor("secret");
    tensor *list = desk_room(DIST_F32, 3 * world_size);
    who_is_everyone(list, secret);
    desk_hand_in("list", list);
}
