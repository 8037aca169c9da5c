/* The card is written where it belongs in the list, and gathered in place. */
#include "dist.h"

void who_is_everyone(tensor *list, tensor *secret)
{
    int me = dist_get_rank();
    tensor *mine = tensor_slice(list, 3 * me, 3 * me + 3);
    tensor_set(mine, 0, me);
    tensor_set(mine, 1, dist_get_world_size());
    tensor_set(mine, 2, tensor_item(secret, 0));
    dist_all_gather(list, mine);
    tensor_free(mine);
}
