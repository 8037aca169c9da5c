/* feedback: It had not ended after */
/* seconds: 3 */
/* A wait by dist_is_completed is a wait. */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    most_first ? make_most() : make_sum();
    most_first ? make_sum() : make_most();
    dist_work *first = dist_all_reduce(sum, .group = a, .async_op = true);
    while (!dist_is_completed(first))
        ;
    dist_work *second = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    dist_wait(first);
    dist_wait(second);
}
