/* The list as a table: a row for each rank, seen through a view. */
#include "dist.h"

void who_is_everyone(tensor *list, tensor *secret)
{
    int n = dist_get_world_size();
    tensor *table = tensor_view(list, n, 3);
    tensor *card = tensor_full(DIST_F32, n, 1, 3);
    tensor_set(card, 0, dist_get_rank());
    tensor_set(card, 2, tensor_sum(secret));
    dist_work *gathering = dist_all_gather(table, card, .async_op = true);
    while (!dist_is_completed(gathering))
        continue;
    dist_wait(gathering);
    tensor_free(card);
    tensor_free(table);
}
