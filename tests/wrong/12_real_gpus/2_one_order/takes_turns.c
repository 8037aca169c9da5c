/* feedback: did not start the one of group a first */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    static bool b_now;
    dist_work *works[2];
    if (most_first)
        make_most();
    make_sum();
    if (!most_first)
        make_most();
    if (b_now)
        works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    works[0] = dist_all_reduce(sum, .group = a, .async_op = true);
    if (!b_now)
        works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    dist_wait_all(works, 2);
    b_now = !b_now;
}
