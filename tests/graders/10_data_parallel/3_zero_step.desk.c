/* What each rank does in 10.3. */
#include "../../grader/desk.h"

void zero_step(tensor *weights, tensor *gradients, tensor *velocity, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *weights = desk_tensor("weights"), *velocity = desk_tensor("velocity");
    zero_step(weights, desk_tensor("gradients 1"), velocity, rank, world_size);
    zero_step(weights, desk_tensor("gradients 2"), velocity, rank, world_size);
    desk_hand_in("weights", weights);
    desk_hand_in("velocity", velocity);
}
