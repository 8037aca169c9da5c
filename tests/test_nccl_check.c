/*
 * test_nccl_check.c: DIST_CHECK=1 over the nccl backend: is what NCCL would meet with silence, a hang or wrong numbers reported,
 * with the ranks and lines? As test_nccl_jobs.c. What is reported is read from DIST_REPORT.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/double.h"
#include "doubles/nccl/told.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_up(void)
{
    setenv("DIST_CHECK", "1", 1);
    told_open();
}

TestSuite(nccl_check, .timeout = 60, .init = set_up, .fini = told_close);

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
    const char *report = told_by(shorter_receive, 2, DIST_ERR_MISMATCH);
    told_words(report, "rank 0 sends 8 elements of F32 (test_nccl_check.c:");
    told_words(report, "rank 1's receive has room for exactly 5 of F32 (test_nccl_check.c:");
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
    told_words(told_by(other_type, 2, DIST_ERR_MISMATCH), "rank 0 sends 4 elements of I32");
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
    const char *report = told_by(host_to_gpu, 2, DIST_ERR_MISMATCH);
    told_words(report, "rank 0 sends from its host (test_nccl_check.c:");
    told_words(report, "rank 1's receive has its tensor on the GPU (test_nccl_check.c:");
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
    const char *report = told_by(tags_in_another_order, 2, DIST_ERR_MISMATCH);
    told_words(report, "rank 0 waits to send to rank 1 (test_nccl_check.c:");
    told_words(report, "with tag 0; rank 1 receives from it with tag 1");
}

static void other_count(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, rank == 2 ? 5 : 4);
    (void)exam, (void)size;
    dist_all_reduce(x);
}

Test(nccl_check, a_collective_with_another_count)
{
    const char *report = told_by(other_count, 4, DIST_ERR_MISMATCH);
    told_words(report, "rank 0 has 4 elements (test_nccl_check.c:");
    told_words(report, "rank 2 has 5 elements (test_nccl_check.c:");
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
    told_words(told_by(other_root, 3, DIST_ERR_MISMATCH), "rank 1 names 1 as the root");
    told_words(told_by(other_reduction, 3, DIST_ERR_MISMATCH), "rank 0 asks for MIN");
    told_words(told_by(other_collective, 3, DIST_ERR_MISMATCH), "rank 2 calls dist_broadcast");
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
    const char *report = told_by(message_against_collective, 2, DIST_ERR_DEADLOCK);
    told_words(report, "ranks 0 and 1 wait for each other");
    told_words(report, "\"call\": \"dist_all_reduce\"");
    told_words(report, "\"call\": \"dist_recv\"");
}

static void other_list(struct exam *exam, int rank, int size)
{
    int list[2] = { 0, rank == 1 ? 2 : 1 };
    (void)exam, (void)size;
    dist_new_group(list, 2);
}

Test(nccl_check, a_group_of_other_ranks)
{
    told_words(told_by(other_list, 3, DIST_ERR_MISMATCH), "rank 1 lists these");
}
