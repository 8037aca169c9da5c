/* test_results_more.c: what a program with a handler is told of calls on streams and events, and of tensors that DIST_CHECK=1 refuses. */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "context.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

TestSuite(results_more, .timeout = 60);

static _Thread_local char sentence[400]; /* the last one */

static void listen_to(const struct dist_report *report, void *context)
{
    snprintf(sentence, sizeof sentence, "%s", report->sentence);
    ++*(int *)context;
}

/* Behind a call that has failed, with a number that none of these has: joining twice. */
#define GIVES(call, error) \
    do { \
        dist_init_process_group(); \
        exam_check(exam, dist_last_error() == -DIST_ERR_STATE, "it was to fail: %d", dist_last_error()); \
        int given = (call); \
        exam_check(exam, given == -(error) && dist_last_error() == given, "%s gives %d, and then %d", #call, \
                   given, dist_last_error()); \
    } while (0)

static void streams(struct exam *exam, int rank, int size)
{
    int heard = 0;
    dist_set_error_handler(listen_to, &heard);
    dist_stream *others = (dist_stream *)&heard;
    if (rank != 0 || size != 2)
        return;
    GIVES(dist_stream_free(others), DIST_ERR_ARGUMENT);
    GIVES(dist_stream_synchronize(others), DIST_ERR_ARGUMENT);
    GIVES(dist_synchronize(), 0);
    GIVES(dist_set_device((enum dist_device)7), DIST_ERR_ARGUMENT);
    GIVES(dist_event_free(NULL), 0);
    dist_stream *stream = dist_stream_new();
    dist_event *event = dist_event_record();
    GIVES(dist_stream_free(others), DIST_ERR_ARGUMENT);
    GIVES(dist_stream_synchronize(others), DIST_ERR_ARGUMENT);
    GIVES(dist_stream_synchronize(stream), 0);
    GIVES(dist_event_wait(NULL), DIST_ERR_ARGUMENT);
    GIVES(dist_event_wait(event), 0);
    GIVES(dist_event_free(event), 0);
    GIVES(dist_event_free(event), DIST_ERR_ARGUMENT);
    GIVES(dist_stream_free(stream), 0);
    GIVES(dist_set_device(DIST_HOST), 0);
    dist_set_error_handler(NULL, NULL);
}

/* x is being received into: so it can be neither sent nor given to a collective, whose splits are not kept. */
static void touched(struct exam *exam, int rank, int size)
{
    int heard = 0;
    dist_set_error_handler(listen_to, &heard);
    tensor *x = tensor_zeros(DIST_F32, size), *y = tensor_zeros(DIST_F32, size);
    int64_t splits[8] = { size };
    if (rank == 0) {
        dist_work *work = dist_irecv(x, 1);
        int64_t before = 0;
        exam_check(exam, dist_send(x, 1) == -DIST_ERR_BUFFER && dist_last_error() == -DIST_ERR_BUFFER, "%d",
                   dist_last_error());
        for (int i = 0; i < 3; i++) {
            exam_check(exam, !dist_all_to_all(y, x, .input_splits = splits, .output_splits = splits),
                       "a collective has begun");
            exam_check(exam, dist_last_error() == -DIST_ERR_BUFFER, "%d", dist_last_error());
            tensor *next = tensor_zeros(DIST_F32, 1); /* memory is used again: always the same */
            before = i == 0 ? (int64_t)(intptr_t)tensor_data(next) : before;
            exam_check(exam, before == (int64_t)(intptr_t)tensor_data(next), "splits were kept");
            tensor_free(next);
        }
        dist_work *works[2];
        dist_p2p_op ops[2] = { { DIST_ISEND, y, 1, 0, NULL }, { DIST_ISEND, x, 1, 0, NULL } };
        exam_check(exam, dist_batch_isend_irecv(ops, 2, works) == -DIST_ERR_BUFFER, "%d", dist_last_error());
        exam_check(exam, strstr(sentence, "entry 1: sends a tensor"), "%s", sentence);
        dist_send(y, size); /* which is no batch's */
        exam_check(exam, !strstr(sentence, "entry"), "%s", sentence);
        dist_send(y, 1);
        dist_wait(work);
    } else if (rank == 1) {
        dist_recv(y, 0);
        dist_send(y, 0);
    }
    tensor_free(x);
    tensor_free(y);
    dist_set_error_handler(NULL, NULL);
}

static _Thread_local jmp_buf back;

static void leap(const struct dist_report *report, void *context)
{
    (void)context;
    longjmp(back, (int)report->error);
}

/* Calls that begin something with x, which is being sent; rank 1 sends what y waits for. */
static void begin_with(int way, tensor *x, tensor *y, dist_work **works)
{
    int64_t splits[] = { 2, 0 };
    dist_p2p_op ops[] = { { DIST_IRECV, y, 1, 0, NULL }, { DIST_IRECV, x, 1, 0, NULL } };
    if (way == 0)
        dist_irecv(x, 1);
    else if (way == 1)
        dist_batch_isend_irecv(ops, 2, works);
    else if (way == 2)
        dist_all_to_all(x, y, .input_splits = splits, .output_splits = splits, .async_op = true);
    else
        dist_recv(x, 1);
}

/* A handler leaves by longjmp: of what the call had made nothing is left, so y is nobody's, and can be received into and freed. */
static void left(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_zeros(DIST_F32, 2), *y = tensor_zeros(DIST_F32, 2);
    if (rank == 0 && size == 2) {
        dist_work *works[2], *volatile work = dist_isend(x, 1);
        dist_set_error_handler(leap, NULL);
        for (volatile int way = 0; way < 4; way++) {
            int error = setjmp(back);
            if (error == 0)
                begin_with(way, x, y, works);
            exam_check(exam, error == DIST_ERR_BUFFER && dist_last_error() == -error,
                       "way %d: error %d, last %d", way, error, dist_last_error());
            exam_check(exam, way != 1 || (!works[0] && !works[1]), "a work is left");
        }
        exam_check(exam, !context_get()->works.newest->older, "more works than that of x are open");
        dist_set_error_handler(NULL, NULL);
        dist_recv(y, 1);
        dist_wait(work);
    } else if (rank == 1) {
        dist_send(y, 0);
        dist_recv(x, 0);
    }
    exam_check(exam, true, "all went well");
    tensor_free(x);
    tensor_free(y);
}

static void run(const char *name, void (*body)(struct exam *, int, int), int size)
{
    struct exam *exam = exam_new(name, size);
    exam->seconds = 20;
    cr_expect(exam_run(exam, body), "%s", exam_words(exam));
    exam_free(exam);
}

Test(results_more, calls_on_streams)
{
    run("streams", streams, 2);
}

Test(results_more, tensors_that_are_refused)
{
    setenv("DIST_CHECK", "1", 1);
    run("refused tensors", touched, 2);
}

Test(results_more, nothing_is_left_behind_a_longjmp)
{
    setenv("DIST_CHECK", "1", 1);
    run("longjmp", left, 2);
}
