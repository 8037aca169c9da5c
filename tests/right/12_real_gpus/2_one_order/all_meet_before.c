/* All meet before they start, and the largest is found as minus the smallest of what is turned round. */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    dist_work *works[2] = { NULL, NULL };
    if (!most_first)
        goto sum_first;
    make_most();
    make_sum();
    goto made;
sum_first:
    make_sum();
    make_most();
made:
    tensor_mul_scalar(most, -1);
    dist_barrier();
    works[0] = dist_all_reduce(sum, .group = a, .async_op = true);
    works[1] = dist_all_reduce(most, .group = b, .op = DIST_MIN, .async_op = true);
    for (int i = 0; i < 2; i++)
        dist_wait(works[i]);
    tensor_mul_scalar(most, -1);
}

static _Thread_local tensor *sums, *mosts; /* of this rank */

static void fill_sum(void)
{
    tensor_fill(sums, dist_get_rank() + 1);
}

static void fill_most(void)
{
    tensor_fill(mosts, 10 * dist_get_rank());
}

static void run(int rank, int world_size)
{
    int all[64];
    dist_init_process_group();
    for (int i = 0; i < world_size && i < 64; i++)
        all[i] = i;
    dist_group *a = dist_new_group(all, world_size), *b = dist_new_group(all, world_size);
    sums = tensor_zeros(DIST_F32, 1);
    mosts = tensor_zeros(DIST_F32, 1);
    both_at_once(sums, mosts, a, b, rank % 2 == 1, fill_sum, fill_most);
    printf("rank %d: the sum is %g, the largest is %g\n", rank, tensor_item(sums, 0), tensor_item(mosts, 0));
    tensor_free(mosts);
    tensor_free(sums);
    dist_group_free(b);
    dist_group_free(a);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
