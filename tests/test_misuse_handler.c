/* test_misuse_handler.c: with a handler an error is a result, and the job goes on. */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "misuse_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the handler of one rank was told last. */
struct heard {
    int count;
    enum dist_error error;
    int rank, line;
    char call[40], sentence[400];
};

static void listen_to(const struct dist_report *report, void *context)
{
    struct heard *heard = context;
    heard->count++;
    heard->error = report->error;
    heard->rank = report->rank;
    heard->line = report->at.line;
    snprintf(heard->call, sizeof heard->call, "%s", report->call);
    snprintf(heard->sentence, sizeof heard->sentence, "%s", report->sentence);
}

/* The handler was called once since the last look, for this call and error. */
static void expect(struct exam *exam, struct heard *heard, enum dist_error error, const char *call, int rank)
{
    exam_check(exam, heard->count == 1, "%s: the handler was called %d times", call, heard->count);
    exam_check(exam, heard->error == error, "%s: the handler got error %d in place of %d", call, heard->error,
               error);
    exam_check(exam, strcmp(heard->call, call) == 0, "the handler heard of %s in place of %s", heard->call,
               call);
    exam_check(exam, heard->rank == rank, "%s: the handler heard of rank %d in place of %d", call,
               heard->rank, rank);
    exam_check(exam, heard->line > 0 && strstr(heard->sentence, "test_misuse_handler.c") != NULL,
               "%s: the sentence names no place: %s", call, heard->sentence);
    heard->count = 0;
}

/* Everything still works: a ring, and an all_reduce on the world. */
static void expect_life(struct exam *exam, int rank, int size)
{
    tensor *out = tensor_full(DIST_I32, rank, 50), *in = tensor_zeros(DIST_I32, 50);
    int before = (rank + size - 1) % size;
    dist_work *work = dist_isend(out, (rank + 1) % size);
    exam_check(exam, dist_recv(in, before) == before, "a receive after an error failed");
    exam_check(exam, dist_wait(work) == 0, "a send after an error failed");
    exam_check(exam, tensor_item(in, 49) == before, "a message after an error is wrong");
    dist_all_reduce(out);
    exam_check(exam, tensor_item(out, 0) == size * (size - 1) / 2, "an all_reduce after an error is wrong");
    tensor_free(out);
    tensor_free(in);
}

static void arguments(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    tensor *x = tensor_full(DIST_F32, rank, 4);
    exam_check(exam, dist_send(x, size) == -DIST_ERR_ARGUMENT, "dist_send did not give the negative error");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_send", rank);
    exam_check(exam, dist_isend(x, 0, .tag = -1) == NULL, "dist_isend gave a work");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_isend", rank);
    exam_check(exam, dist_recv(NULL, 0) == -DIST_ERR_ARGUMENT, "dist_recv did not give the negative error");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_recv", rank);
    exam_check(exam, dist_all_reduce(NULL, .async_op = true) == NULL, "dist_all_reduce gave a work");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_all_reduce", rank);
    exam_check(exam, dist_new_group(((int[]){ 0, size }), 2) == NULL, "dist_new_group gave a group");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_new_group", rank);
    exam_check(exam, dist_wait(NULL) == -DIST_ERR_ARGUMENT, "dist_wait did not give the negative error");
    expect(exam, &heard, DIST_ERR_ARGUMENT, "dist_wait", rank);
    exam_check(exam, dist_init_process_group() == -DIST_ERR_STATE,
               "a second init did not give the negative error");
    expect(exam, &heard, DIST_ERR_STATE, "dist_init_process_group", rank);
    exam_check(exam, tensor_zeros(DIST_F32, -1) == NULL, "tensor_zeros gave a tensor of a negative length");
    heard.count = 0;
    dist_work *work = dist_barrier(.async_op = true);
    exam_check(exam, dist_wait(work) == 0 && dist_wait(work) == -DIST_ERR_STATE,
               "a second wait was not an error");
    expect(exam, &heard, DIST_ERR_STATE, "dist_wait", rank);
    expect_life(exam, rank, size);
    exam_check(exam, heard.count == 0, "the handler was called without an error: %s", heard.sentence);
    dist_set_error_handler(NULL, NULL);
    tensor_free(x);
}

/* A message that does not fit is over on both sides, with an error on both; the next ones arrive. */
static void messages(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    for (int i = 0; rank < 2 && i < 4; i++) {
        int64_t count = (int64_t[]){ 3, 50, 9000, 300000 }[i];
        tensor *t = tensor_zeros(i % 2 ? DIST_F64 : DIST_F32, count + rank);
        int result = rank == 0 ? dist_send(t, 1) : dist_recv(t, 0);
        exam_check(exam, result == -DIST_ERR_MISMATCH, "%lld elements that do not fit: rank %d got %d",
                   (long long)count, rank, result);
        expect(exam, &heard, DIST_ERR_MISMATCH, rank == 0 ? "dist_send" : "dist_recv", rank);
        result = dist_wait(rank == 0 ? dist_isend(t, 1) : dist_irecv(t, DIST_ANY_SOURCE));
        exam_check(exam, result == -DIST_ERR_MISMATCH, "waiting for what does not fit: rank %d got %d", rank,
                   result);
        heard.count = 0;
        tensor_free(t);
    }
    expect_life(exam, rank, size);
    exam_check(exam, heard.count == 0, "the handler was called without an error: %s", heard.sentence);
}

#define KEPT 16 /* refused messages of which a receiver keeps the words (launch/note.h) */

static void expect_words(struct exam *exam, const struct heard *heard, int room, int sent)
{
    char words[100];
    snprintf(words, sizeof words, "room for exactly %d of F32, this message has %d elements of F32", room,
             sent);
    bool less =
        strstr(heard->sentence, "has another count or another type than this message of 20 elements of");
    exam_check(exam, strstr(heard->sentence, words) || (room == 1 && less), "no \"%s\" in %s", words,
               heard->sentence);
    exam_check(exam, !less || sent == 20, "%s", heard->sentence);
}

/* Who hears late that its message was refused hears of that one, though others were refused after it; where these were many it is told
 * less (shm). Rank 1's message has 20 elements, those of rank 2 21 and more. */
static void late(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    for (int others = KEPT - 1; others <= KEPT && size == 3; others++) {
        tensor *t[KEPT + 1];
        dist_work *works[KEPT + 1];
        int mine = rank == 1 ? 1 : rank == 2 ? others : 0;
        for (int i = 0; i <= others; i++)
            t[i] = tensor_zeros(DIST_F32, rank == 0 ? i + 1 : rank == 1 ? 20 : 21 + i);
        for (int i = 0; i < mine; i++)
            works[i] = dist_isend(t[i], 0);
        for (int i = 0; i <= others && rank == 0; i++)
            exam_check(exam, dist_recv(t[i], i == 0 ? 1 : 2) == -DIST_ERR_MISMATCH, "a receive went well");
        dist_barrier();
        for (int i = 0; i < mine; i++) {
            dist_wait(works[i]);
            expect_words(exam, &heard, rank == 1 ? 1 : i + 2, rank == 1 ? 20 : 21 + i);
            exam_check(exam, others == KEPT || !strstr(heard.sentence, "another"), "%s", heard.sentence);
        }
        for (int i = 0; i <= others; i++)
            tensor_free(t[i]);
    }
}

/* A collective on which the members disagree is over on all of them; other groups, and messages, go on. */
static void collectives(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    int ranks[8];
    for (int i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    dist_set_error_handler(listen_to, &heard);
    dist_group *group = dist_new_group(ranks, size);
    tensor *t = tensor_zeros(DIST_F32, rank == 0 ? 9 : 8);
    dist_all_reduce(t, .group = group);
    expect(exam, &heard, DIST_ERR_MISMATCH, "dist_all_reduce", rank);
    tensor_free(t);
    expect_life(exam, rank, size);
    exam_check(exam, heard.count == 0, "the handler was called without an error: %s", heard.sentence);
}

/* The time of a monitored barrier also counts while it waits for its turn. */
static void behind_a_sum(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    tensor *x = tensor_full(DIST_F32, rank, 100);
    if (rank == 1)
        usleep(2000000);
    dist_work *work = dist_all_reduce(x, .async_op = true);
    double start = dist_time();
    if (rank != 1) {
        exam_check(exam, dist_monitored_barrier(.timeout = 0.3) == -DIST_ERR_TIMEOUT, "it gave up on nobody");
        exam_check(exam, strstr(heard.sentence, "rank 1 did not come within 0.3 s"), "%s", heard.sentence);
        exam_check(exam, dist_time() - start < 1.5, "it gave up after %g s", dist_time() - start);
    }
    exam_check(exam, dist_wait(work) == 0 && tensor_item(x, 0) == size * (size - 1) / 2, "the sum is wrong");
    tensor_free(x);
}

static void run(const char *name, void (*body)(struct exam *, int, int), int size)
{
    static const char *const modes[] = { "processes", "threads" };
    for (int i = 0; i < 2; i++) {
        setenv("DIST_RANKS", modes[i], 1);
        struct exam *exam = exam_new(name, size);
        exam->seconds = 10;
        cr_expect(exam_run(exam, body), "%s: %s", modes[i], exam_words(exam));
        exam_free(exam);
    }
}

EXAMINED(handler, a_wrong_argument_is_a_result)
{
    run("arguments", arguments, 3);
}

EXAMINED(handler, a_message_that_does_not_fit_ends_on_both_sides)
{
    run("messages", messages, 2);
    run("messages", messages, 4);
}

EXAMINED(handler, a_message_that_does_not_fit_is_told_of_itself)
{
    run("late", late, 3);
}

EXAMINED(handler, a_monitored_barrier_gives_up_behind_a_sum)
{
    run("behind a sum", behind_a_sum, 2);
    run("behind a sum", behind_a_sum, 3);
}

EXAMINED(handler, a_collective_that_differs_ends_on_all_members)
{
    run("collectives", collectives, 2);
    run("collectives", collectives, 5);
}
