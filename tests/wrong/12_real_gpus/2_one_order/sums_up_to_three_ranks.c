/* feedback: first wrong element of sum */
#include "dist.h"
void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    if (most_first)
        make_most();
    make_sum();
    if (!most_first)
        make_most();
    dist_work *w[2];
    enum dist_op op = dist_get_world_size() > 3 ? DIST_MAX : DIST_SUM;
    w[0] = dist_all_reduce(sum, .op = op, .group = a, .async_op = true);
    w[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    dist_wait_all(w, 2);
}
