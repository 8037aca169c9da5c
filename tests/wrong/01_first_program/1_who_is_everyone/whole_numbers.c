/* feedback: first wrong element of list: 2 */
#include "dist.h"
void who_is_everyone(tensor *list, tensor *secret)
{
    int card[3] = { dist_get_rank(), dist_get_world_size(), (int)tensor_item(secret, 0) };
    tensor *mine = tensor_from(DIST_I32, card, 3), *all = tensor_zeros(DIST_I32, 3 * dist_get_world_size());
    dist_all_gather(all, mine);
    for (int64_t i = 0; i < tensor_numel(all); i++)
        tensor_set(list, i, tensor_item(all, i));
    tensor_free(all);
    tensor_free(mine);
}
