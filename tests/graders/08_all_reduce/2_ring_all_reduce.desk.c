/* What each rank does in 08.2. */
#include "../../grader/desk.h"

void ring_all_reduce(tensor *x, int rank, int n);

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    ring_all_reduce(x, rank, world_size);
    desk_hand_in("x", x);
}
