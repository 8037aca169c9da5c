/* Each case written out; copies travel. */
#include "dist.h"

static dist_work *start(tensor *t, enum dist_op op, dist_group *group)
{
    return dist_all_reduce(t, .op = op, .group = group, .async_op = true);
}

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    tensor *s, *m;
    if (most_first) {
        make_most();
        m = tensor_clone(most);
        make_sum();
        s = tensor_clone(sum);
    } else {
        make_sum();
        s = tensor_clone(sum);
        make_most();
        m = tensor_clone(most);
    }
    dist_wait_all((dist_work *[]){ start(s, DIST_SUM, a), start(m, DIST_MAX, b) }, 2);
    tensor_copy(sum, s);
    tensor_copy(most, m);
    tensor_free(m);
    tensor_free(s);
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
