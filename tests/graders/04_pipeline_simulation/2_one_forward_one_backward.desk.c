/* What each rank does in 04.2. */
#include "../../grader/desk.h"

void train_batch(tensor *x, tensor *target, tensor *w, tensor *dw, int pieces, int rank, int world_size);

void desk(int rank, int world_size)
{
    int rows = (int)desk_number("rows"), width = (int)desk_number("width");
    tensor *x = desk_matrix("x", rows, width), *w = desk_matrix("w", width, width);
    tensor *target = rank == world_size - 1 ? desk_matrix("target", rows, width) : NULL;
    tensor *dw = tensor_zeros(DIST_F64, width, width);
    train_batch(x, target, w, dw, (int)desk_number("pieces"), rank, world_size);
    desk_hand_in("dw", dw);
    tensor_free(dw);
}
