/*
 * 2_one_order.c: exercise 12.2. Two groups with the same ranks, two all-reduces under way at once, in an order that NCCL can stand.
 *
 *     group a   sum of all `sum`      |  started in one order on all ranks,
 *     group b   largest of all `most` |  whatever each rank has ready first
 *
 * make_sum() and make_most() compute what this rank brings into `sum` and `most`. Each takes its time; `most_first` says which of the two
 * can be computed first on this rank, and so it must be: make that one, then the other.
 *
 * Both all-reduces must be under way together before anybody waits, and both are over when the function returns. On a GPU, with NCCL,
 * two ranks that start them in different orders may stand still for ever: so all ranks start a's before b's.
 *
 * Grade it:  make exercise-12.2        Run it:  make try-12.2 N=4        A hint:  make hint-12.2
 */
#include "dist.h"

#include <stdlib.h>

void both_at_once(tensor *sum, tensor *most, dist_group *a, dist_group *b, bool most_first,
                  void (*make_sum)(void), void (*make_most)(void))
{
    /* TODO: make both, start both in one order, then wait for both. */

    /* end of TODO */
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
    int *all = malloc((size_t)world_size * sizeof *all);
    dist_init_process_group();
    for (int i = 0; i < world_size; i++)
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
    free(all);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
