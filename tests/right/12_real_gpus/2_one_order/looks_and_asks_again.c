/* Looks between the two starts, and asks again and again behind them. */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    most_first ? make_most() : make_sum();
    most_first ? make_sum() : make_most();
    dist_work *works[2] = { dist_all_reduce(sum, .group = a, .async_op = true) };
    bool early = dist_is_completed(works[0]);
    works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    while (!early && !dist_is_completed(works[0]))
        ;
    while (!dist_is_completed(works[1]))
        ;
    dist_wait_all(works, 2);
}
