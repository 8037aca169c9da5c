/* feedback: first wrong element of list */
#include "dist.h"

void who_is_everyone(tensor *list, tensor *secret)
{
    float card[3] = { dist_get_rank(), dist_get_world_size(), tensor_item(secret, 0) }, all[24];
    tensor *mine = tensor_from(DIST_F32, card, 3), *cards = tensor_zeros(DIST_F32, 3 * dist_get_world_size());
    dist_all_gather(cards, mine);
    for (int i = 0; i < 3 * dist_get_world_size() && i < 24; i++)
        all[i] = tensor_item(cards, i);
    for (int i = 0; i < 3 * dist_get_world_size() && i < 24; i++)
        tensor_set(list, i, all[i]);
    tensor_free(cards);
    tensor_free(mine);
}
