/* feedback: was freed */
/* Frees the tensors that it was given. */
#include "dist.h"

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    (void)rank, (void)world_size;
    tensor_free(traveller);
    tensor_free(mine);
}
