/* test_nccl_sums.c: collectives and groups in whole jobs over the nccl backend and its double, as test_nccl_jobs.c. */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "conform.h"
#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"

#include <stdlib.h>
#include <string.h>

TestSuite(nccl_sums, .timeout = 120, .init = told_play);

static void collectives(struct exam *exam, int rank, int size)
{
    tensor *sum = told_counted(rank, 4), *avg = told_counted(rank, 4), *all = told_counted(0, 3 * size),
           *mine = told_counted(rank, 3);
    dist_work *work = dist_all_reduce(sum, .async_op = true);
    dist_all_reduce(avg, .op = DIST_AVG);
    dist_all_gather(all, mine);
    dist_wait(work);
    for (int i = 0; i < 4; i++) {
        double expected = 50.0 * size * (size - 1) + i * size;
        exam_check(exam, tensor_item(sum, i) == expected, "sum %g", tensor_item(sum, i));
        exam_check(exam, tensor_item(avg, i) == expected / size, "average %g", tensor_item(avg, i));
    }
    for (int i = 0; i < 3 * size; i++)
        exam_check(exam, tensor_item(all, i) == 100 * (i / 3) + i % 3, "all_gather %g", tensor_item(all, i));
    tensor *from_last = rank == size - 1 ? told_counted(7, 4) : told_counted(0, 4);
    dist_broadcast(from_last, size - 1);
    told_items(exam, from_last, 700, "broadcast");
    dist_barrier();
    exam_check(exam, dist_monitored_barrier(.timeout = 30) == 0, "the monitored barrier failed");
    tensor_free(sum);
    tensor_free(avg);
    tensor_free(all);
    tensor_free(mine);
}

static void blocks(struct exam *exam, int rank, int size)
{
    tensor *in = told_counted(rank, 2 * size), *out = told_counted(0, 2 * size),
           *small = told_counted(rank, 2);
    dist_all_to_all(out, in);
    for (int i = 0; i < 2 * size; i++)
        exam_check(exam, tensor_item(out, i) == 100 * (i / 2) + 2 * rank + i % 2, "all_to_all %g",
                   tensor_item(out, i));
    dist_reduce_scatter(small, in);
    for (int i = 0; i < 2; i++) {
        double expected = 50.0 * size * (size - 1) + size * (2 * rank + i);
        exam_check(exam, tensor_item(small, i) == expected, "reduce_scatter %g", tensor_item(small, i));
    }
    dist_scatter(small, rank == 1 ? in : NULL, 1);
    exam_check(exam, tensor_item(small, 1) == 100 + 2 * rank + 1, "scatter %g", tensor_item(small, 1));
    dist_gather(small, rank == 0 ? out : NULL, 0);
    for (int i = 0; rank == 0 && i < 2 * size; i++)
        exam_check(exam, tensor_item(out, i) == 100 + i, "gather %g", tensor_item(out, i));
    dist_reduce(small, 1);
    double expected = rank == 1 ? 100 * size + size * (size - 1) : 100 + 2 * rank;
    exam_check(exam, tensor_item(small, 0) == expected, "reduce %g, not %g", tensor_item(small, 0), expected);
    tensor_free(in);
    tensor_free(out);
    tensor_free(small);
}

static void groups(struct exam *exam, int rank, int size)
{
    int odd[4], count = 0;
    for (int i = size - 1; i >= 0; i--)
        if (i % 2 == 1)
            odd[count++] = i;
    dist_group *group = dist_new_group(odd, count);
    tensor *x = told_counted(rank, 3);
    if (rank % 2 == 1) {
        dist_broadcast(x, odd[1], .group = group);
        exam_check(exam, tensor_item(x, 0) == 100 * odd[1], "broadcast in a group: %g", tensor_item(x, 0));
        tensor_add_scalar(x, rank);
        tensor *y = told_counted(0, 3);
        int to = odd[(dist_get_rank(.group = group) + 1) % count];
        int from = odd[(dist_get_rank(.group = group) + count - 1) % count];
        dist_work *works[] = { dist_isend(x, to, .group = group), dist_irecv(y, from, .group = group) };
        dist_wait_all(works, 2);
        told_items(exam, y, 100 * odd[1] + from, "a ring in a group");
    }
    dist_group_free(group);
    dist_all_reduce(x, .op = DIST_MIN);
    exam_check(exam, tensor_item(x, 0) == 0, "all_reduce behind a group: %g", tensor_item(x, 0));
    tensor_free(x);
}

Test(nccl_sums, collectives)
{
    told_good("collectives", collectives, 4);
    told_good("collectives", collectives, 1);
    told_good("blocks", blocks, 3);
    told_good("groups", groups, 4);
    told_good("groups", groups, 7);
}

Test(nccl_sums, with_an_older_nccl)
{
    double_play(&(struct double_script){ .moves = true, .old = true });
    told_good("blocks", blocks, 3);
}

static void expect_sums(void)
{
    told_good("collectives", collectives, 4);
    told_good("blocks", blocks, 3);
    told_good("groups", groups, 7);
}

Test(nccl_sums, in_checked_mode)
{
    setenv("DIST_CHECK", "1", 1);
    expect_sums();
}

Test(nccl_sums, by_nccl_itself)
{
    setenv("DIST_NCCL_PLAIN", "1", 1);
    expect_sums();
    setenv("DIST_CHECK", "1", 1);
    expect_sums();
}

/* ---- groups that come and go -------------------------------------------------------------------- */

/* Who frees a group first must not wait for the others: they do it in their own time, and in another order. */
static void groups_in_any_order(struct exam *exam, int rank, int size)
{
    dist_group *groups[6];
    int all[8];
    for (int i = 0; i < size; i++)
        all[i] = i;
    for (int i = 0; i < 6; i++) {
        tensor *x = tensor_full(DIST_F32, 1, 1000), *y = tensor_full(DIST_F32, 2, 1000);
        dist_work *work = dist_all_reduce(x, .async_op = true);
        groups[i] = dist_new_group(all, size); /* the world is at work */
        dist_all_reduce(y, .group = groups[i]);
        dist_wait(work);
        exam_check(exam, tensor_item(x, 9) == size && tensor_item(y, 9) == 2 * size, "a sum is wrong");
        if (rank == 0)
            dist_group_free(groups[i]);
        tensor_free(x);
        tensor_free(y);
    }
    for (int i = 0; rank > 0 && i < 6; i++)
        dist_group_free(groups[rank % 2 ? 5 - i : i]);
}

Test(nccl_sums, groups_are_freed_by_each_rank_in_its_own_time)
{
    told_good("groups in any order", groups_in_any_order, 3);
}
