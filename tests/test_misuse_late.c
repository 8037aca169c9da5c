/*
 * test_misuse_late.c: on tensors of a GPU the host goes on before two ranks can find out that they disagree. It is told
 * where it waits next, once, with the place of the call that was wrong; and the job goes on.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "misuse_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the handler of one rank was told. */
struct heard {
    int count;
    enum dist_error error;
    int line;
    char call[40], sentence[400];
};

static void listen_to(const struct dist_report *report, void *context)
{
    struct heard *heard = context;
    heard->count++;
    heard->error = report->error;
    heard->line = report->at.line;
    snprintf(heard->call, sizeof heard->call, "%s", report->call);
    snprintf(heard->sentence, sizeof heard->sentence, "%s", report->sentence);
}

/* Once since the last look, of this call on that line. */
static void expect(struct exam *exam, struct heard *heard, const char *call, int line)
{
    exam_check(exam, heard->count == 1, "%s: the handler was called %d times: %s", call, heard->count,
               heard->sentence);
    exam_check(exam, heard->error == DIST_ERR_MISMATCH, "%s: error %d", call, heard->error);
    exam_check(exam, strcmp(heard->call, call) == 0, "heard of %s, not %s", heard->call, call);
    exam_check(exam, heard->line == line, "%s: heard of line %d, not %d", call, heard->line, line);
    heard->count = 0;
}

static void expect_nothing(struct exam *exam, const struct heard *heard, const char *when)
{
    exam_check(exam, heard->count == 0, "%s: told too early, or without an error: %s", when, heard->sentence);
}

/* Everything still works: a ring, and an all_reduce on the world. */
static void expect_life(struct exam *exam, const struct heard *heard, int rank, int size)
{
    tensor *out = tensor_full(DIST_I32, rank, 50), *in = tensor_zeros(DIST_I32, 50);
    int before = (rank + size - 1) % size;
    dist_work *work = dist_isend(out, (rank + 1) % size);
    dist_recv(in, before);
    dist_wait(work);
    exam_check(exam, tensor_item(in, 49) == before, "a message after an error is wrong");
    dist_all_reduce(out);
    exam_check(exam, tensor_item(out, 0) == size * (size - 1) / 2, "an all_reduce after an error is wrong");
    expect_nothing(exam, heard, "life");
    tensor_free(out);
    tensor_free(in);
}

/* Rank 1 has room for one element more. Where is it told? */
static void messages(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    const char *call = rank == 0 ? "dist_send" : "dist_recv";
    for (int i = 0; rank < 2 && i < 3; i++) {
        tensor *t = tensor_full(DIST_F32, 7, (int64_t[]){ 3, 9000, 300000 }[i] + rank);
        int line = __LINE__ + 1;
        int result = rank == 0 ? dist_send(t, 1) : dist_recv(t, 0);
        exam_check(exam, result == 0, "%s gave %d; that it is wrong nobody can know", call, result);
        expect_nothing(exam, &heard, call);
        exam_check(exam, dist_synchronize() == -DIST_ERR_MISMATCH, "dist_synchronize did not give the error");
        expect(exam, &heard, call, line);
        exam_check(exam, tensor_item(t, 2) == 7, "what was not received has changed the tensor");
        tensor_free(t);
    }
    expect_life(exam, &heard, rank, size);
}

/* Started and waited for; the look at another tensor gives its elements all the same. */
static void started(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    tensor *x = tensor_full(DIST_I32, 100 + rank, 3);
    dist_set_error_handler(listen_to, &heard);
    for (int i = 0; rank < 2 && i < 20; i++) {
        tensor *t = tensor_zeros(rank == 0 ? DIST_I32 : DIST_F32, 5);
        int line = __LINE__ + 1;
        dist_work *work = rank == 0 ? dist_isend(t, 1) : dist_irecv(t, 0);
        exam_check(exam, dist_wait(work) == 0, "dist_wait did not give 0");
        double item = tensor_item(x, 2);
        exam_check(exam, item == 100 + rank, "an error of others made tensor_item give %g", item);
        dist_synchronize();
        expect(exam, &heard, rank == 0 ? "dist_isend" : "dist_irecv", line);
        tensor_free(t);
    }
    expect_life(exam, &heard, rank, size);
    tensor_free(x);
}

/* A receive from anybody waits, so it gives its error itself. */
static void from_anybody(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    tensor *t = tensor_zeros(DIST_F64, 4 + rank);
    int result = 0, line = __LINE__ + 1;
    dist_work *work = rank == 0 ? dist_isend(t, 1) : NULL;
    if (rank == 1) {
        line = __LINE__ + 1;
        result = dist_recv(t, DIST_ANY_SOURCE);
        exam_check(exam, result == -DIST_ERR_MISMATCH, "a receive from anybody gave %d", result);
        expect(exam, &heard, "dist_recv", line);
    } else if (rank == 0) {
        dist_wait(work);
        dist_synchronize();
        expect(exam, &heard, "dist_isend", line);
    }
    expect_life(exam, &heard, rank, size);
    tensor_free(t);
}

/* All members are told, whatever they wait in: rank 0 in a barrier, which still is one for all. */
static void collectives(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    int ranks[8];
    for (int i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    dist_group *group = dist_new_group(ranks, size);
    dist_set_error_handler(listen_to, &heard);
    tensor *t = tensor_zeros(DIST_F32, rank == 0 ? 9 : 8);
    int line = __LINE__ + 1;
    dist_all_reduce(t, .group = group);
    expect_nothing(exam, &heard, "dist_all_reduce");
    usleep((useconds_t)(2000 * rank));
    dist_barrier();
    expect(exam, &heard, "dist_all_reduce", line);
    expect_life(exam, &heard, rank, size);
    tensor_free(t);
}

static void run(const char *name, void (*body)(struct exam *, int, int), int size)
{
    static const char *const modes[] = { "processes", "threads" };
    setenv("DEVICE", "sim", 1);
    for (int i = 0; i < 2; i++) {
        setenv("DIST_RANKS", modes[i], 1);
        struct exam *exam = exam_new(name, size);
        exam->seconds = 10;
        cr_expect(exam_run(exam, body), "%s: %s", modes[i], exam_words(exam));
        exam_free(exam);
    }
}

EXAMINED(late, a_message_that_does_not_fit)
{
    run("messages", messages, 2);
    run("messages", messages, 4);
}

EXAMINED(late, one_that_was_started)
{
    run("started", started, 2);
    run("started", started, 3);
}

EXAMINED(late, one_from_anybody)
{
    run("from anybody", from_anybody, 2);
    run("from anybody", from_anybody, 3);
}

EXAMINED(late, a_collective_that_differs)
{
    run("collectives", collectives, 2);
    run("collectives", collectives, 5);
}
