/* test_results.c: what a program with a handler can ask: how a call went, and which entry of a batch was wrong. */
#define _GNU_SOURCE
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct heard {
    int count;
    char sentence[400];
};

static void listen_to(const struct dist_report *report, void *context)
{
    struct heard *heard = context;
    heard->count++;
    snprintf(heard->sentence, sizeof heard->sentence, "%s", report->sentence);
    dist_get_rank(); /* a handler may call what it likes: the result stays that of the call which failed */
}

/* ---- how the last call went ------------------------------------------------------------------ */

#define GOES(call) \
    exam_check(exam, (call) == NULL && dist_last_error() == 0, "%s: %d", #call, dist_last_error())
#define FAILS(call, error) \
    exam_check(exam, (call) == NULL && dist_last_error() == -(error), "%s: %d", #call, dist_last_error())

static void of_the_world(struct exam *exam, int rank, tensor *x, tensor *part, tensor *odd)
{
    GOES(dist_all_reduce(x));
    GOES(dist_barrier());
    FAILS(dist_all_reduce(NULL), DIST_ERR_ARGUMENT);
    GOES(dist_broadcast(x, 0));
    FAILS(dist_broadcast(x, 3), DIST_ERR_ARGUMENT);
    GOES(dist_reduce(x, 1));
    FAILS(dist_reduce(x, -2), DIST_ERR_ARGUMENT);
    GOES(dist_gather(part, x, 2));
    FAILS(dist_gather(odd, rank == 2 ? x : NULL, rank == 2 ? 2 : 9), DIST_ERR_ARGUMENT);
    GOES(dist_scatter(part, x, 2));
    FAILS(dist_scatter(NULL, x, 2), DIST_ERR_ARGUMENT);
    GOES(dist_all_gather(x, part));
    FAILS(dist_all_gather(part, x), DIST_ERR_ARGUMENT);
    GOES(dist_reduce_scatter(part, x));
    FAILS(dist_reduce_scatter(x, part), DIST_ERR_ARGUMENT);
    FAILS(dist_all_to_all(x, part), DIST_ERR_ARGUMENT);
    exam_check(exam, dist_monitored_barrier() == 0 && dist_last_error() == 0, "a barrier failed");
}

static void collectives(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    dist_group *all = dist_new_group((int[]){ 0, 1, 2 }, 3), *others = dist_new_group((int[]){ 1, 2 }, 2);
    tensor *x = tensor_full(DIST_F32, 1, 6), *part = tensor_zeros(DIST_F32, 2),
           *odd = tensor_zeros(DIST_F32, 7);
    (void)size;
    for (int i = 0; i < 20; i++) { /* the quick ways are not taken at first */
        of_the_world(exam, rank, x, part, odd);
        if (rank == 0)
            FAILS(dist_barrier(others), DIST_ERR_ARGUMENT);
        else
            GOES(dist_barrier(others));
        GOES(dist_all_reduce(x, .group = all));
        tensor *mine = rank == 0 ? odd : x;
        FAILS(dist_all_reduce(mine, .group = all), DIST_ERR_MISMATCH);
        dist_group_free(all);
        all = dist_new_group((int[]){ 0, 1, 2 }, 3);
    }
    exam_check(exam, dist_get_rank(others) == rank - 1 && dist_last_error() == 0,
               "-1 is no error for rank 0");
    exam_check(exam, !tensor_zeros(DIST_F32, -1) && dist_last_error() == -DIST_ERR_ARGUMENT,
               "a tensor's error");
    exam_check(exam, dist_get_rank() == rank && dist_last_error() == 0, "the next call goes well");
    dist_set_error_handler(NULL, NULL);
}

/* The quick ways say so, too: a word of the last error is never left over. */
static void after_an_error(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    tensor *x = tensor_full(DIST_F32, rank, 2);
    for (int i = 0; i < 50; i++) {
        dist_send(NULL, 0);
        exam_check(exam, dist_last_error() == -DIST_ERR_ARGUMENT, "%d", dist_last_error());
        switch (i % 4) {
        case 0:
            dist_all_reduce(x);
            break;
        case 1:
            dist_barrier();
            break;
        case 2:
            dist_wait(dist_all_reduce(x, .async_op = true));
            break;
        default:
            rank == 0 ? dist_send(x, size - 1) : rank == size - 1 ? dist_recv(x, 0) : dist_get_world_size();
        }
        exam_check(exam, dist_last_error() == 0, "turn %d: %d", i, dist_last_error());
    }
    tensor_free(x);
}

/* ---- batches ----------------------------------------------------------------------------------- */

enum { COUNT = 12, WRONG = 7 };

/* In a circle: receives and sends in turn. */
static void good_ones(dist_p2p_op *ops, tensor *x, tensor **in, int rank, int size)
{
    for (int i = 0; i < COUNT; i++)
        ops[i] = i % 2 ? (dist_p2p_op){ DIST_ISEND, x, (rank + 1) % size, i, NULL }
                       : (dist_p2p_op){ DIST_IRECV, in[i], (rank + size - 1) % size, i + 1, NULL };
}

static void without_entries(struct exam *exam, tensor *x)
{
    struct heard heard = { 0 };
    dist_work *none = (dist_work *)&heard;
    exam_check(exam, dist_batch_isend_irecv(NULL, 0, NULL) == 0, "no entries");
    exam_check(exam, dist_batch_isend_irecv(NULL, 1, &none) < 0 && none == NULL, "no array");
    exam_check(exam,
               dist_batch_isend_irecv((dist_p2p_op[]){ { DIST_ISEND, x, 0, 0, NULL } }, -1, &none) ==
                   -DIST_ERR_ARGUMENT,
               "a negative count");
}

/* Entry 7 is wrong in every way in which one can be. All else could be done, and is not. */
static void batches(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    FAILS(dist_new_group((int[]){ (rank + 1) % size }, 1), DIST_ERR_MISMATCH); /* lists that differ */
    dist_group *zero = dist_new_group((int[]){ 0 }, 1), *gone = dist_new_group((int[]){ 0, 1 }, 2);
    dist_group_free(gone);
    tensor *x = tensor_full(DIST_I32, rank, 3), *in[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = tensor_zeros(DIST_I32, 3);
    const dist_p2p_op wrong[] = {
        { 0, x, 0, 0, NULL },
        { DIST_ISEND, NULL, 0, 0, NULL },
        { DIST_IRECV, x, size, 0, NULL },
        { DIST_ISEND, x, DIST_ANY_SOURCE, 0, NULL },
        { DIST_ISEND, x, 0, -1, NULL },
        { DIST_ISEND, x, 1, 0, zero },
        { DIST_IRECV, x, 0, 0, gone },
        { (enum dist_p2p_kind)77, NULL, -9, -9, gone },
    };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        dist_p2p_op ops[COUNT];
        dist_work *works[COUNT];
        good_ones(ops, x, in, rank, size);
        ops[WRONG] = wrong[w];
        memset(works, 0x55, sizeof works);
        heard.count = 0;
        int result = dist_batch_isend_irecv(ops, COUNT, works);
        exam_check(exam, result == -DIST_ERR_ARGUMENT && dist_last_error() == result, "%zu: %d", w, result);
        exam_check(exam, heard.count == 1 && strstr(heard.sentence, "entry 7"), "%s", heard.sentence);
        for (int i = 0; i < COUNT; i++)
            exam_check(exam, works[i] == NULL, "%zu: work %d is not NULL", w, i);
        ops[WRONG] = (dist_p2p_op){ DIST_ISEND, x, (rank + 1) % size, WRONG, NULL };
        result = dist_batch_isend_irecv(ops, COUNT, works);
        exam_check(exam, result == 0 && dist_wait_all(works, COUNT) == 0, "%zu: then right: %d", w, result);
        for (int i = 0; i < COUNT; i += 2)
            exam_check(exam, tensor_item(in[i], 1) == (rank + size - 1) % size, "wrong data");
    }
    without_entries(exam, x);
    dist_group_free(zero);
    dist_set_error_handler(NULL, NULL); /* no work is left, or destroy would tell */
    tensor_free(x);
}

/* What a batch finds out when it has begun, its works tell. */
static void found_later(struct exam *exam, int rank, int size)
{
    struct heard heard = { 0 };
    dist_set_error_handler(listen_to, &heard);
    tensor *x = tensor_full(DIST_I32, rank, rank == 0 ? 3 : 4), *y = tensor_zeros(DIST_I32, 5);
    (void)size;
    for (int turn = 0; turn < 10; turn++) {
        dist_work *works[2];
        int other = !rank;
        int result = dist_batch_isend_irecv(
            (dist_p2p_op[]){ { DIST_ISEND, x, other, 0, NULL }, { DIST_IRECV, y, other, 0, NULL } }, 2,
            works);
        exam_check(exam, result == 0 && works[0] && works[1], "the batch gave %d", result);
        while (!dist_is_completed(works[0]))
            ;
        exam_check(exam, dist_wait(works[0]) == -DIST_ERR_MISMATCH, "the send");
        exam_check(exam, dist_wait(works[1]) == -DIST_ERR_MISMATCH, "the receive");
    }
    tensor_free(x);
    tensor_free(y);
}

static void run(const char *name, void (*body)(struct exam *, int, int), int size)
{
    static const char *const modes[] = { "processes", "threads" };
    for (int i = 0; i < 2; i++) {
        setenv("DIST_RANKS", modes[i], 1);
        struct exam *exam = exam_new(name, size);
        exam->seconds = 20;
        cr_expect(exam_run(exam, body), "%s: %s", modes[i], exam_words(exam));
        exam_free(exam);
    }
}

TestSuite(results, .timeout = 60);

Test(results, every_collective_says_how_it_went)
{
    run("collectives", collectives, 3);
}

Test(results, a_call_that_goes_well_leaves_no_error)
{
    run("after an error", after_an_error, 2);
    run("after an error", after_an_error, 4);
    setenv("DIST_BUFFERING", "eager:64", 1);
    run("after an error", after_an_error, 3);
}

Test(results, a_batch_with_a_wrong_entry_begins_nothing)
{
    run("batches", batches, 2);
    run("batches", batches, 3);
    setenv("DIST_CHECK", "1", 1);
    run("batches", batches, 2);
}

Test(results, works_of_a_batch_tell_what_went_wrong_later)
{
    run("found later", found_later, 2);
}
