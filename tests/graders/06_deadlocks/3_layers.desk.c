/* What each rank does in 06.3. */
#include "../../grader/desk.h"

void hand_on(tensor *weights, tensor *bias, tensor *new_weights, tensor *new_bias, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *weights = desk_tensor("weights"), *bias = desk_tensor("bias");
    tensor *new_weights = desk_used_room(DIST_F32, tensor_numel(weights));
    tensor *new_bias = desk_used_room(DIST_F32, tensor_numel(bias));
    hand_on(weights, bias, new_weights, new_bias, rank, world_size);
    desk_hand_in("weights", weights);
    desk_hand_in("bias", bias);
    desk_hand_in("new_weights", new_weights);
    desk_hand_in("new_bias", new_bias);
}
