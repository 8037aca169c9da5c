/* What each rank does in 06.1. */
#include "../../grader/desk.h"

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *first = desk_tensor("first");
    tensor *last = desk_tensor("last");
    tensor *from_left = desk_room(DIST_F32, tensor_numel(first));
    tensor *from_right = desk_room(DIST_F32, tensor_numel(first));
    swap_edges(first, last, from_left, from_right, rank, world_size);
    desk_hand_in("from_left", from_left);
    desk_hand_in("from_right", from_right);
}
