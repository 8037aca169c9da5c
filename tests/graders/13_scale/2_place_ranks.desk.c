/* What each rank does in 13.2: once, and where two calls are wanted once more, placed anew. */
#include "../../grader/desk.h"

struct neighbours {
    int next, previous;
};
struct neighbours find_neighbours(int node, int rank, int world_size);

static void look(const char *handed, int node, int rank, int world_size)
{
    struct neighbours found = find_neighbours(node, rank, world_size);
    int32_t answer[2] = { found.next, found.previous };
    tensor *t = tensor_from(DIST_I32, answer, 2);
    desk_hand_in(handed, t);
    tensor_free(t);
}

void desk(int rank, int world_size)
{
    look("neighbours", (int)desk_number("node"), rank, world_size);
    if (desk_number("calls") > 1)
        look("neighbours again", (int)desk_number("node again"), rank, world_size);
}
