/* Waits for whichever comes first, and marks what it makes. */
#include "dist.h"

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    dist_work *late[2];
    void (*makes[])(void) = { most_first ? make_most : make_sum, most_first ? make_sum : make_most };
    for (int i = 0; i < 2; i++)
        dist_span("desk: make %d", i) {
            (*makes[i])();
        }
    late[0] = dist_all_reduce(sum, .group = a, .async_op = true);
    late[1] = dist_all_reduce(most, DIST_MAX, b, true);
    for (int i; (i = dist_wait_any(late, 2)) >= 0;)
        dist_span("%s is there", i ? "most" : "sum") {
        }
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
