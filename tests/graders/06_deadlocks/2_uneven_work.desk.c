/* What each rank does in 06.2. */
#include "../../grader/desk.h"

void train(tensor *weights, tensor *batches, int64_t count);

void desk(int rank, int world_size)
{
    (void)rank;
    (void)world_size;
    tensor *weights = desk_tensor("weights");
    int64_t n = tensor_numel(weights), rows = tensor_numel(desk_tensor("batches")) / n;
    tensor *batches = desk_matrix("batches", rows, n);
    int64_t count = (int64_t)desk_number("count");
    tensor *own = tensor_slice(batches, 0, desk_number("tight") > 0 ? count : rows);
    train(weights, own, count);
    tensor_free(own);
    desk_hand_in("weights", weights);
}
