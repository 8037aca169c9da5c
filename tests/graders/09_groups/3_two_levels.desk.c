/* What each rank does in 09.3: the mean, with nodes of every size from one rank to more than there are. */
#include "left.h"

void two_level_mean(tensor *x, int per_node, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *x = desk_tensor("x");
    for (int per_node = 1; per_node <= world_size + 1; per_node++) {
        char name[64];
        tensor *mine = tensor_clone(x);
        dist_span("desk's call, per_node %d", per_node) {
            two_level_mean(mine, per_node, rank, world_size);
        }
        snprintf(name, sizeof name, "x (per_node %d)", per_node);
        desk_hand_in(name, mine);
        tensor_free(mine);
    }
    left_watch();
}
