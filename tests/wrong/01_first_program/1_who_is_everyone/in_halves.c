/* feedback: first wrong element of list */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void who_is_everyone(tensor *list, tensor *secret)
{
    tensor *card = tensor_zeros(DIST_F32, 3);
    tensor_set(card, 0, dist_get_rank());
    tensor_set(card, 1, dist_get_world_size());
    tensor_set(card, 2, tensor_item(secret, 0));
    halve(card);
    dist_all_gather(list, card);
    tensor_free(card);
}
