/* feedback: make_sum and make_most must each be called once */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    /* TODO: make both, start both in one order, then wait for both. */
    if (most_first)
        make_sum();
    make_sum();
    if (!most_first)
        make_most();
    dist_work *works[2];
    works[0] = dist_all_reduce(sum, .group = a, .async_op = true);
    works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    dist_wait_all(works, 2);
    /* end of TODO */
}
