/* What each rank does in 05.3. */
#include "../../grader/desk.h"

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size);

void desk(int rank, int world_size)
{
    int root = (int)desk_number("root"), count = (int)desk_number("count");
    tensor *samples = rank == root ? desk_tensor("samples") : NULL;
    tensor *results = rank == root ? desk_room(DIST_F32, count) : NULL;
    if (results)
        tensor_fill(results, -1); /* what lies there is no part of the answer */
    work_through(samples, results, count, root, rank, world_size);
    if (rank == root)
        desk_hand_in("results", results);
}
