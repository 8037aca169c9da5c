/* What each rank does in 03.4. */
#include "../../grader/desk.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size);

static void square(tensor *half)
{
    dist_span("desk: work") {
        desk_late();
        tensor_mul(half, half);
    }
}

void desk(int rank, int world_size)
{
    tensor *half = desk_tensor("half");
    tensor *other = desk_room(DIST_F32, tensor_numel(half));
    work_together(half, other, square, rank, world_size);
    desk_hand_in("half", half);
}
