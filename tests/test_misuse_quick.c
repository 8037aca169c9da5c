/*
 * test_misuse_quick.c: mistakes in short messages and tiny all_reduces, which a quick way must not hide: they are told in the same
 * words as where there is none.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "misuse_test.h"

#include <unistd.h>

#define LATE 2000 /* us: whoever waits sleeps by then */

/* The first letter to a rank goes the long way. */
static void get_acquainted(int rank, tensor *x)
{
    if (rank == 0) {
        dist_send(x, 1);
        dist_recv(x, 1);
    } else if (rank == 1) {
        dist_recv(x, 0);
        dist_send(x, 0);
    }
}

/* From 0 to 1, and who of them comes late: neither (-1), 0 or 1. */
static void disagree(int rank, tensor *x, tensor *sent, tensor *room, int late)
{
    get_acquainted(rank, x);
    if (rank == late)
        usleep(LATE);
    if (rank == 0)
        dist_send(sent, 1, .tag = 3);
    if (rank == 1)
        dist_recv(room, 0, .tag = 3);
}

MISUSE(a_wanted_letter_of_another_type, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 2 of F32",
       "2 elements of I32", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_I32, 2), tensor_zeros(DIST_F32, 2), 0);
}

MISUSE(a_waiting_letter_of_another_type, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 2 of F32",
       "2 elements of I32", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_I32, 2), tensor_zeros(DIST_F32, 2), 1);
}

MISUSE(a_wanted_letter_that_is_shorter, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 3 of F32",
       "2 elements of F32", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_F32, 2), tensor_zeros(DIST_F32, 3), 0);
}

MISUSE(a_letter_for_a_long_receive, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 100 of F32",
       "1 element of F32", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_F32, 1), tensor_zeros(DIST_F32, 100), -1);
}

MISUSE(a_long_letter_where_a_short_one_is_wanted, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 3 of F32",
       "4 elements of F32", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_F32, 4), tensor_zeros(DIST_F32, 3), 0);
}

MISUSE(a_letter_of_one_byte_where_none_is_wanted, 2, DIST_ERR_MISMATCH, NULL, "room for exactly 0 of U8",
       "1 element of U8", "make the two calls agree")
{
    disagree(rank, x, tensor_zeros(DIST_U8, 1), tensor_zeros(DIST_U8, 0), -1);
}

MISUSE(another_tag_than_is_wanted, 2, DIST_ERR_MISMATCH, "dist_send", "tag 5", "tag 4",
       "give both calls the same tag")
{
    get_acquainted(rank, x);
    usleep(rank == 0 ? LATE : 0);
    if (rank == 0)
        dist_send(tensor_zeros(DIST_F32, 1), 1, .tag = 5);
    else
        dist_recv(tensor_zeros(DIST_F32, 1), 0, .tag = 4);
}

/* A want has 14 bits for it. */
MISUSE(another_tag_that_ends_alike, 2, DIST_ERR_MISMATCH, "dist_send", "tag 3", "tag 16387",
       "give both calls the same tag")
{
    get_acquainted(rank, x);
    usleep(rank == 0 ? LATE : 0);
    if (rank == 0)
        dist_send(tensor_zeros(DIST_F32, 1), 1, .tag = 3);
    else
        dist_recv(tensor_zeros(DIST_F32, 1), 0, .tag = 16387);
}

/* ---- all_reduce ------------------------------------------------------------------------------------ */

MISUSE(a_tiny_sum_of_another_type, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "has a tensor of F32",
       "has a tensor of I32")
{
    dist_all_reduce(x);
    dist_all_reduce(rank == 1 ? tensor_zeros(DIST_I32, 4) : x);
}

MISUSE(a_tiny_sum_of_another_count, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "has 1 element ",
       "has 2 elements")
{
    dist_all_reduce(x);
    dist_all_reduce(tensor_zeros(DIST_F32, rank == 1 ? 2 : 1));
}

MISUSE(a_late_tiny_sum_of_another_count, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "has 4 elements",
       "has 5 elements")
{
    dist_all_reduce(x);
    usleep(rank == 1 ? LATE : 0);
    dist_all_reduce(rank == 1 ? tensor_zeros(DIST_F32, 5) : x);
}

MISUSE(a_tiny_sum_and_one_that_is_not, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "has 10 elements",
       "has 11 elements")
{
    dist_all_reduce(x);
    usleep(rank == 0 ? LATE : 0);
    dist_all_reduce(tensor_zeros(DIST_F32, rank == 0 ? 10 : 11));
}

MISUSE(a_tiny_maximum_and_a_sum, 2, DIST_ERR_MISMATCH, "dist_all_reduce", "asks for SUM", "asks for MAX")
{
    dist_all_reduce(x);
    dist_all_reduce(x, .op = rank == 1 ? DIST_MAX : DIST_SUM);
}

MISUSE(a_tiny_sum_and_another_call, 2, DIST_ERR_MISMATCH, NULL, "calls dist_all_reduce",
       "calls dist_broadcast")
{
    dist_all_reduce(x);
    if (rank == 1)
        dist_broadcast(x, 0);
    else
        dist_all_reduce(x);
}

/* ---- with a handler both ends hear of it, and go on ------------------------------------------------- */

static void count_report(const struct dist_report *report, void *context)
{
    *(int *)context += report->error == DIST_ERR_MISMATCH;
}

/* What was refused is told to its sender, although the next receive wants a letter just like it. */
static void refused_then_wanted(struct exam *exam, int rank, int size)
{
    int reports = 0;
    tensor *t = tensor_full(DIST_I32, 7, 1), *two = tensor_zeros(DIST_I32, 2);
    dist_set_error_handler(count_report, &reports);
    get_acquainted(rank, t);
    for (int round = 0; round < 400; round++) {
        usleep(round % 5 == rank ? 200 : 0);
        int first = rank == 0 ? dist_send(t, size - 1) : dist_recv(two, 0);
        int second = rank == 0 ? dist_send(t, size - 1) : dist_recv(t, 0);
        exam_check(exam, first == -DIST_ERR_MISMATCH, "round %d: the message that does not fit gave %d",
                   round, first);
        exam_check(exam, second == 0 && reports == round + 1, "round %d: the next gave %d, after %d reports",
                   round, second, reports);
    }
    tensor_free(t);
    tensor_free(two);
}

/* In some of so many rounds both are quick. Now and then one of them calls a barrier instead. */
static void sums_that_differ(struct exam *exam, int rank, int size)
{
    int reports = 0;
    tensor *ours = tensor_full(DIST_F32, 2, 2), *sum = tensor_zeros(DIST_F32, 2);
    tensor *other_type = tensor_full(DIST_I32, 2, 2), *other_count = tensor_full(DIST_F32, 2, 1);
    dist_set_error_handler(count_report, &reports);
    for (int round = 0; round < 600; round++) {
        bool same = rank != round % size;
        tensor *theirs = round % 4 == 0 ? other_type : round % 4 == 1 ? other_count : ours;
        tensor_fill(sum, 1);
        dist_all_reduce(sum);
        if (!same && round % 4 == 3)
            dist_barrier();
        else
            dist_all_reduce(same ? ours : theirs, .op = same || round % 4 < 2 ? DIST_MIN : DIST_MAX);
        exam_check(exam, reports == round + 1, "round %d: %d reports", round, reports);
        exam_check(exam, tensor_item(sum, 1) == size, "round %d: a sum is %g", round, tensor_item(sum, 1));
    }
    tensor_free(ours);
    tensor_free(sum);
    tensor_free(other_type);
    tensor_free(other_count);
}

static void hear(const char *name, void (*body)(struct exam *exam, int rank, int size))
{
    static const char *const modes[] = { "processes", "threads" };
    for (int mode = 0; mode < 2; mode++) {
        setenv("DIST_RANKS", modes[mode], 1);
        struct exam *exam = exam_new(name, 2);
        cr_assert(exam_run(exam, body), "%s, %s", modes[mode], exam_words(exam));
        exam_free(exam);
    }
}

EXAMINED(misuse, both_hear_of_a_refusal)
{
    hear("refused, then wanted", refused_then_wanted);
}

EXAMINED(misuse, both_hear_that_sums_differ)
{
    hear("sums that differ", sums_that_differ);
}
