/*
 * test_nccl_stuck.c: ranks that wait for each other over the nccl backend, for one that is late, or for one that has died: is it told,
 * at once, who waits for whom? As test_nccl_check.c.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(nccl_stuck, .timeout = 60, .init = told_open, .fini = told_close);

static void crossed_sends(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    dist_send(x, 1 - rank);
    dist_recv(x, 1 - rank);
}

Test(nccl_stuck, two_that_both_send_first)
{
    const char *report = told_by(crossed_sends, 2, DIST_ERR_DEADLOCK);
    told_words(report, "ranks 0 and 1 wait for each other");
    told_words(report, "\"call\": \"dist_send\"");
}

static void missing_member(struct exam *exam, int rank, int size)
{
    int two[2] = { 0, 2 };
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    dist_group *group = dist_new_group(two, 2);
    if (rank == 0)
        dist_all_reduce(x, .group = group);
    dist_barrier();
}

Test(nccl_stuck, a_member_that_does_not_come)
{
    told_words(told_by(missing_member, 3, DIST_ERR_DEADLOCK), "\"call\": \"dist_barrier\"");
}

static void stuck_without_one(struct exam *exam, int rank, int size)
{
    int all[3] = { 0, 1, 2 };
    (void)dist_new_group(all, size);
    if (rank != 2)
        crossed_sends(exam, rank, size);
}

/* Rank 2 is inside ncclCommDestroy, which waits until the others come there, too. */
Test(nccl_stuck, two_that_a_third_waits_for_in_nccl)
{
    told_words(told_by(stuck_without_one, 3, DIST_ERR_DEADLOCK), "ranks 0 and 1 wait for each other");
}

/* Ranks as processes: nobody asks NCCL for anything. */
static void one_dies(struct exam *exam, int rank, int size)
{
    (void)exam, (void)size;
    dist_set_device(DIST_HOST);
    tensor *x = tensor_zeros(DIST_F32, 4);
    dist_barrier();
    if (rank == 1)
        _exit(3);
    dist_recv(x, 1);
}

Test(nccl_stuck, a_rank_that_dies_is_named)
{
    setenv("DIST_RANKS", "processes", 1);
    double_play(&(struct double_script){ .split_size = 3 });
    struct exam *exam = exam_new("one dies", 3);
    exam->backend = "nccl";
    exam->seconds = 30;
    exam_run(exam, one_dies);
    cr_assert_eq(exam->status, 3, "%s", exam_words(exam));
    exam_free(exam);
}

static void late_for_a_barrier(struct exam *exam, int rank, int size)
{
    (void)exam, (void)size;
    if (rank == 1)
        usleep(900000);
    dist_monitored_barrier(.timeout = 0.2);
}

Test(nccl_stuck, a_barrier_that_names_who_is_late)
{
    told_words(told_by(late_for_a_barrier, 3, DIST_ERR_TIMEOUT), "rank 1 did not come within 0.2 s");
}

static void hear(const struct dist_report *report, void *said)
{
    snprintf(said, 200, "%s", report->sentence);
}

static void late_with_a_handler(struct exam *exam, int rank, int size)
{
    char said[200] = "";
    dist_set_error_handler(hear, said);
    late_for_a_barrier(exam, rank, size);
    exam_check(exam, strstr(said, ": rank 1 did not come within 0.2 s"), "rank %d heard: %s", rank, said);
}

Test(nccl_stuck, who_was_late_for_it_hears_the_same)
{
    struct exam *exam = exam_new("late", 3);
    exam->backend = "nccl";
    cr_assert(exam_run(exam, late_with_a_handler), "%s", exam_words(exam));
    exam_free(exam);
}

/* ---- NCCL by itself ------------------------------------------------------------------------------------- */

static void two_orders(struct exam *exam, int rank, int size)
{
    int all[2] = { 0, 1 };
    dist_group *groups[2] = { dist_new_group(all, size), dist_new_group(all, size) };
    tensor *x = tensor_full(DIST_F32, rank, 4), *y = tensor_full(DIST_F32, rank, 4);
    dist_work *works[2] = { dist_all_reduce(x, .group = groups[rank], .async_op = true),
                            dist_all_reduce(y, .group = groups[1 - rank], .async_op = true) };
    dist_wait_all(works, 2);
    exam_check(exam, tensor_item(x, 0) == 1 && tensor_item(y, 0) == 1, "the sums are wrong");
    tensor_free(x);
    tensor_free(y);
    dist_group_free(groups[0]);
    dist_group_free(groups[1]);
}

/* The stand-in is as strict as NCCL: so it is our backend that makes the same program right. */
Test(nccl_stuck, collectives_of_two_groups_in_two_orders)
{
    setenv("DIST_TIMEOUT", "1", 1);
    struct exam *exam = exam_new("two orders", 2);
    exam->backend = "nccl";
    cr_assert(exam_run(exam, two_orders), "%s", exam_words(exam));
    exam_free(exam);
    setenv("DIST_NCCL_PLAIN", "1", 1);
    told_words(told_by(two_orders, 2, DIST_ERR_TIMEOUT), "NCCL has not ended it within 1 s");
}
