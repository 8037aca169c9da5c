/* What each rank does in 13.2. */
#include "../../grader/desk.h"

struct neighbours {
    int next, previous;
};
struct neighbours find_neighbours(int node, int rank, int world_size);

void desk(int rank, int world_size)
{
    struct neighbours found = find_neighbours((int)desk_number("node"), rank, world_size);
    int32_t answer[2] = { found.next, found.previous };
    tensor *t = tensor_from(DIST_I32, answer, 2);
    desk_hand_in("neighbours", t);
    tensor_free(t);
}
