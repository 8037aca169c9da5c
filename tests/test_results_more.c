/* test_results_more.c: what a program with a handler is told of calls on streams and events, and of tensors that DIST_CHECK=1 refuses. */
#define _GNU_SOURCE
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(results_more, .timeout = 60);

static void listen_to(const struct dist_report *report, void *context)
{
    (void)report;
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
