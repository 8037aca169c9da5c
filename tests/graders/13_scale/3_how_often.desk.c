/* What each rank does in 13.3: once, and where two calls are wanted once more, with steps half as long and writes three times as long. */
#include "../../grader/desk.h"

int64_t steps_between(double step, double write, double mean_of_one, int world_size);

void desk(int rank, int world_size)
{
    double step = desk_number("step"), write = desk_number("write"), mean = desk_number("mean");
    (void)rank;
    desk_hand_in_number("steps", (double)steps_between(step, write, mean, world_size));
    if (desk_number("calls") > 1)
        desk_hand_in_number("steps again", (double)steps_between(step / 2, 3 * write, mean, world_size));
}
