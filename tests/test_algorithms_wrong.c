/* test_algorithms_wrong.c: collectives by messages, where the program or its environment is wrong. */
#define _GNU_SOURCE
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(algorithms_wrong, .timeout = 60);

static void note_sentence(const struct dist_report *report, void *context)
{
    struct exam *exam = context;
    const char *end = "it must be gather, tree, ring, halving or messages";
    exam_check(exam, report->error == DIST_ERR_ENVIRONMENT, "error %d", (int)report->error);
    exam_check(exam, strstr(report->sentence, end) != NULL, "it said: %s", report->sentence);
}

static void join_with_a_bad_name(struct exam *exam, int rank, int size)
{
    (void)rank, (void)size;
    dist_set_error_handler(note_sentence, exam);
    exam_check(exam, dist_init_process_group() == -DIST_ERR_ENVIRONMENT, "init succeeds");
}

Test(algorithms_wrong, a_name_that_does_not_exist_is_one_sentence)
{
    setenv("DIST_ALGORITHM", "rings", 1);
    struct exam *exam = exam_new("a bad name", 2);
    exam->plain = true;
    bool passed = exam_run(exam, join_with_a_bad_name);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

static void disagree(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 100);
    dist_all_reduce(t, .op = rank == 1 ? DIST_MAX : DIST_SUM);
    dist_destroy_process_group();
}

static void other_counts(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, rank == 1 ? 100 : 99);
    dist_all_reduce(t);
    dist_destroy_process_group();
}

static void come_late(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    if (rank == 2)
        usleep(600 * 1000);
    dist_monitored_barrier(.timeout = 0.2);
    dist_destroy_process_group();
}

Test(algorithms_wrong, ranks_that_disagree_are_told)
{
    setenv("DIST_ALGORITHM", "ring", 1);
    cr_assert_eq(dist_spawn(disagree, 4), DIST_ERR_MISMATCH);
    cr_assert_eq(dist_spawn(other_counts, 3), DIST_ERR_MISMATCH);
}

Test(algorithms_wrong, a_monitored_barrier_gives_up)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    cr_assert_eq(dist_spawn(come_late, 4), DIST_ERR_TIMEOUT);
}

static void forget(int rank, int world_size)
{
    (void)rank, (void)world_size;
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 1000);
    dist_all_reduce(t, .async_op = true); /* never waited for */
    dist_destroy_process_group();
    tensor_free(t);
}

Test(algorithms_wrong, one_that_nobody_waits_for_does_not_hang_the_end)
{
    setenv("DIST_ALGORITHM", "halving", 1);
    cr_assert_eq(dist_spawn(forget, 5), 0);
}
