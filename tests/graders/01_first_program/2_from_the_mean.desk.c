/* What each rank does in 01.2. */
#include "../../grader/desk.h"

void from_the_mean(tensor *difference, tensor *largest, tensor *mine);

void desk(int rank, int world_size)
{
    (void)rank, (void)world_size;
    tensor *mine = desk_tensor("mine");
    tensor *difference = desk_room(DIST_F32, tensor_numel(mine));
    tensor *largest = desk_room(DIST_F32, tensor_numel(mine));
    tensor_fill(difference, -1); /* what lies there is no part of the answer */
    tensor_fill(largest, -1);
    from_the_mean(difference, largest, mine);
    desk_hand_in("difference", difference);
    desk_hand_in("largest", largest);
    desk_hand_in("mine", mine);
}
