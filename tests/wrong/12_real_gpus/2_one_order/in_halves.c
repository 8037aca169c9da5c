/* feedback: first wrong element of  */
#include "dist.h"

/* Through F16: no more than 11 bits of a number are left. */
static void halve(tensor *x)
{
    tensor *half = tensor_zeros(DIST_F16, tensor_numel(x));
    tensor_copy(half, x);
    tensor_copy(x, half);
    tensor_free(half);
}

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    if (most_first)
        make_most();
    make_sum();
    if (!most_first)
        make_most();
    halve(sum);
    halve(most);
    dist_work *works[2];
    works[0] = dist_all_reduce(sum, .group = a, .async_op = true);
    works[1] = dist_all_reduce(most, .op = DIST_MAX, .group = b, .async_op = true);
    dist_wait_all(works, 2);
}
