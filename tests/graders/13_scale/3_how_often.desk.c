/* What each rank does in 13.3. */
#include "../../grader/desk.h"

int64_t steps_between(double step, double write, double mean_of_one, int world_size);

void desk(int rank, int world_size)
{
    (void)rank;
    desk_hand_in_number("steps", (double)steps_between(desk_number("step"), desk_number("write"),
                                                       desk_number("mean"), world_size));
}
