/* What each rank does in 03.3. */
#include "../../grader/desk.h"

double there_and_back(tensor *ball, int rounds, int rank);
void both_at_once(tensor *mine, tensor *theirs, int rounds, int rank);

void desk(int rank, int world_size)
{
    (void)world_size;
    tensor *mine = desk_tensor("mine");
    int rounds = (int)desk_number("rounds");
    desk_pause_at(rank == (int)desk_number("late rank") ? (int)desk_number("late at") : 0);
    if (desk_number("which") == 0)
        desk_hand_in_number("seconds", there_and_back(mine, rounds, rank));
    else
        both_at_once(mine, desk_used_room(DIST_F32, tensor_numel(mine)), rounds, rank);
    desk_hand_in("mine", mine);
}
