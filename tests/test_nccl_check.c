/*
 * test_nccl_check.c: DIST_CHECK=1 over the nccl room: is what NCCL would meet with silence, a hang or wrong numbers reported,
 * with the ranks and lines? As test_nccl_jobs.c. What is reported is read from DIST_REPORT.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#ifndef HAVE_NCCL
Test(nccl_check, all_of_it)
{
    cr_skip_test("there is no nccl.h, so the nccl room was not built");
}
#else
#include "conform_exam.h"
#include "doubles/nccl/double.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/nccl_check_XXXXXX", path[64];

static void set_up(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    setenv("DIST_CHECK", "1", 1);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.json", folder);
    setenv("DIST_REPORT", path, 1);
    double_play(&(struct double_script){ .moves = true });
}

static void tear_down(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(nccl_check, .timeout = 60, .init = set_up, .fini = tear_down);

/* Run it, and read the report. */
static const char *report_of(void (*body)(struct exam *, int, int), int size, int status)
{
    static char text[16384];
    struct exam *exam = exam_new("checked", size);
    exam->backend = "nccl";
    exam->seconds = 30;
    exam_run(exam, body);
    cr_assert_eq(exam->status, status, "%s", exam_words(exam));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "there is no report");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    exam_free(exam);
    return text;
}

static void expect_words(const char *report, const char *words)
{
    cr_assert_not_null(strstr(report, words), "the report does not say \"%s\":\n%s", words, report);
}

static void shorter_receive(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, rank == 0 ? 8 : 5);
    (void)exam, (void)size;
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_recv(x, 0);
}

Test(nccl_check, a_receive_that_is_too_short)
{
    const char *report = report_of(shorter_receive, 2, DIST_ERR_MISMATCH);
    expect_words(report, "rank 0 sends 8 elements of F32 (test_nccl_check.c:");
    expect_words(report, "rank 1's receive has room for exactly 5 of F32 (test_nccl_check.c:");
}

static void other_type(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(rank == 0 ? DIST_I32 : DIST_F32, 4);
    (void)exam, (void)size;
    dist_work *work = rank == 0 ? dist_isend(x, 1) : dist_irecv(x, 0);
    dist_wait(work);
}

Test(nccl_check, a_receive_of_another_type)
{
    expect_words(report_of(other_type, 2, DIST_ERR_MISMATCH), "rank 0 sends 4 elements of I32");
}

static void host_to_gpu(struct exam *exam, int rank, int size)
{
    (void)exam, (void)size;
    dist_set_device(rank == 0 ? DIST_HOST : DIST_GPU);
    tensor *x = tensor_zeros(DIST_F32, 4);
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_recv(x, 0);
}

Test(nccl_check, a_tensor_of_the_host_sent_to_a_gpu)
{
    const char *report = report_of(host_to_gpu, 2, DIST_ERR_MISMATCH);
    expect_words(report, "rank 0 sends from its host (test_nccl_check.c:");
    expect_words(report, "rank 1's receive has its tensor on the GPU (test_nccl_check.c:");
}

static void tags_in_another_order(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4), *y = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    for (int i = 0; i < 2; i++)
        rank == 0 ? dist_send(x, 1, .tag = i) : dist_recv(i ? x : y, 0, .tag = 1 - i);
}

Test(nccl_check, tags_that_cross)
{
    const char *report = report_of(tags_in_another_order, 2, DIST_ERR_MISMATCH);
    expect_words(report, "rank 0 waits to send to rank 1 (test_nccl_check.c:");
    expect_words(report, "with tag 0; rank 1 receives from it with tag 1");
}

static void other_count(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, rank == 2 ? 5 : 4);
    (void)exam, (void)size;
    dist_all_reduce(x);
}

Test(nccl_check, a_collective_with_another_count)
{
    const char *report = report_of(other_count, 4, DIST_ERR_MISMATCH);
    expect_words(report, "rank 0 has 4 elements (test_nccl_check.c:");
    expect_words(report, "rank 2 has 5 elements (test_nccl_check.c:");
}

static void other_root(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    dist_broadcast(x, rank == 1 ? 1 : 0);
}

static void other_reduction(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    dist_all_reduce(x, .op = rank == 1 ? DIST_MAX : DIST_MIN);
}

static void other_collective(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    if (rank == 2)
        dist_broadcast(x, 0);
    else
        dist_all_reduce(x);
}

Test(nccl_check, a_collective_with_another_root_reduction_or_name)
{
    expect_words(report_of(other_root, 3, DIST_ERR_MISMATCH), "rank 1 names 1 as the root");
    expect_words(report_of(other_reduction, 3, DIST_ERR_MISMATCH), "rank 0 asks for MIN");
    expect_words(report_of(other_collective, 3, DIST_ERR_MISMATCH), "rank 2 calls dist_broadcast");
}

static void message_against_collective(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 4);
    (void)exam, (void)size;
    if (rank == 0)
        dist_all_reduce(x);
    else
        dist_recv(x, 0);
}

Test(nccl_check, a_message_against_a_collective)
{
    const char *report = report_of(message_against_collective, 2, DIST_ERR_DEADLOCK);
    expect_words(report, "ranks 0 and 1 wait for each other");
    expect_words(report, "\"call\": \"dist_all_reduce\"");
    expect_words(report, "\"call\": \"dist_recv\"");
}

static void other_list(struct exam *exam, int rank, int size)
{
    int list[2] = { 0, rank == 1 ? 2 : 1 };
    (void)exam, (void)size;
    dist_new_group(list, 2);
}

Test(nccl_check, a_group_of_other_ranks)
{
    expect_words(report_of(other_list, 3, DIST_ERR_MISMATCH), "rank 1 lists these");
}
#endif
