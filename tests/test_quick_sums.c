/*
 * test_quick_sums.c: tiny all_reduces, with barriers between them, on their quick way (lib/backends/shm/quick_meet.c) and off
 * it, against a plain reference; and collectives whose numbers go round.
 */
#define _GNU_SOURCE
#include "backends/shm/shm.h"
#include "context.h"
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(quick_sums, .timeout = 100);

#define CARD 40 /* bytes that fit on a card */
#define MOST (CARD + 8)
#define ROUNDS 1500
#define VERY_LATE 200000 /* us; longer than a nap */

/* One all_reduce, of which every rank can tell what all put in. */
struct sum {
    enum dist_type type;
    enum dist_op op;
    int64_t count;
    uint64_t seed;
};

static tensor *input_of(struct sum sum, int rank)
{
    unsigned char values[MOST];
    ref_fill(sum.type, values, sum.count, sum.seed * 8 + (uint64_t)rank);
    return tensor_from(sum.type, values, sum.count);
}

static void judge(struct exam *exam, const tensor *t, struct sum sum, int size)
{
    unsigned char inputs[TALK_RANKS][MOST], expected[MOST];
    const void *in[TALK_RANKS];
    for (int i = 0; i < size; i++) {
        ref_fill(sum.type, inputs[i], sum.count, sum.seed * 8 + (uint64_t)i);
        in[i] = inputs[i];
    }
    ref_reduce(sum.type, sum.op, expected, in, size, sum.count);
    bool any_order = getenv("DIST_ALGORITHM") != NULL;
    int64_t wrong = any_order ? ref_far_off(sum.type, sum.op, size, tensor_data(t), expected, sum.count)
                              : ref_difference(sum.type, tensor_data(t), expected, sum.count);
    exam_check(exam, wrong < 0, "%s of %lld of %s: element %lld is %g and must be %g", ref_op_name(sum.op),
               (long long)sum.count, ref_type_name(sum.type), (long long)wrong,
               ref_item(sum.type, tensor_data(t), wrong < 0 ? 0 : wrong),
               ref_item(sum.type, expected, wrong < 0 ? 0 : wrong));
}

static void reduce(struct exam *exam, int rank, int size, struct sum sum)
{
    tensor *t = input_of(sum, rank);
    dist_all_reduce(t, .op = sum.op);
    judge(exam, t, sum, size);
    tensor_free(t);
}

/* Every type and op, and every count up to a card and one more. */
static void every_sum(struct exam *exam, int rank, int size)
{
    uint64_t seed = exam->seed;
    for (int type = 0; type < REF_TYPES; type++)
        for (int op = 0; op < REF_OPS; op++)
            for (int64_t count = 0; count <= CARD / (int64_t)ref_bytes(type) + 1; count++)
                reduce(exam, rank, size, (struct sum){ type, op, count, seed++ });
}
TALK_TESTS(quick_sums, every_sum, 2, every_sum)
TALK_TESTS(quick_sums, every_sum, 3, every_sum)

/* The same where somebody looks on, or where there is no quick way. */
static void every_sum_with(const char *name, const char *value)
{
    setenv(name, value, 1);
    talk_run(name, 2, every_sum);
    setenv("DIST_RANKS", "threads", 1);
    talk_run(name, 3, every_sum);
}

Test(quick_sums, checked)
{
    every_sum_with("DIST_CHECK", "1");
}

Test(quick_sums, by_messages)
{
    every_sum_with("DIST_ALGORITHM", "messages");
}

Test(quick_sums, traced)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_quick_sums.%ld.json", (long)getpid());
    every_sum_with("DIST_TRACE", path);
    cr_assert(unlink(path) == 0, "no trace was written to %s", path);
}

static struct sum drawn(uint64_t *dice)
{
    enum dist_type type = (enum dist_type)ref_below(dice, REF_TYPES);
    enum dist_op op = (enum dist_op)ref_below(dice, REF_OPS);
    return (struct sum){ type, op, ref_below(dice, CARD / (int64_t)ref_bytes(type) + 2),
                         ref_random(dice) >> 8 };
}

/* Messages and barriers between them, of which some are on the same board; and each comes late now and then. */
static void late_now_and_then(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct sum sum = drawn(&common);
        struct word word = { DIST_I32, 1, 4, sum.seed, NULL };
        int from = (int)ref_below(&common, size), to = (from + 1) % size;
        if (ref_below(&own, 15) == 0)
            usleep((useconds_t)ref_below(&own, 300));
        reduce(exam, rank, size, sum);
        if (ref_below(&common, 8) == 0)
            dist_barrier();
        if (round % 4 == 0 && rank == from)
            talk_send(exam, rank, to, word);
        if (round % 4 == 0 && rank == to)
            talk_recv(exam, rank, from, word);
    }
    for (int late = 0; late < size; late++) {
        if (rank == late)
            usleep(VERY_LATE);
        reduce(exam, rank, size, drawn(&common));
    }
}
TALK_TESTS(quick_sums, late_now_and_then, 2, late_now_and_then)
TALK_TESTS(quick_sums, late_now_and_then, 3, late_now_and_then)

/* A sum that is under way comes before a blocking one; afterwards there is a helper. */
static void some_in_background(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    for (int round = 0; round < ROUNDS / 5; round++) {
        struct sum first = drawn(&common), second = drawn(&common), third = drawn(&common);
        reduce(exam, rank, size, first);
        tensor *t = input_of(second, rank);
        dist_work *work = dist_all_reduce(t, .op = second.op, .async_op = true);
        if (ref_below(&own, 15) == 0)
            usleep((useconds_t)ref_below(&own, 300));
        if (round % 2) {
            reduce(exam, rank, size, third);
            dist_wait(work);
        } else {
            dist_wait(work);
            reduce(exam, rank, size, third);
        }
        judge(exam, t, second, size);
        tensor_free(t);
    }
}
TALK_TESTS(quick_sums, some_in_background, 2, some_in_background)
TALK_TESTS(quick_sums, some_in_background, 3, some_in_background)

/* The first collective in the background, just when the progress thread has come into the engine for the first time, to leave it again: a
 * barrier must not overtake the collective. There is one chance for each rank of a job, so there are many jobs. */
#define JOBS 20
static void behind_a_guest(struct exam *exam, int rank, int size)
{
    uint64_t own = exam->seed + (uint64_t)rank + 1;
    tensor *in = tensor_full(DIST_U8, rank + 1, 50), *all = tensor_zeros(DIST_U8, size * 50),
           *came = tensor_zeros(DIST_F32, 3);
    dist_work *works[2] = { NULL, NULL };
    for (int round = 0; round < 2; round++) { /* a call goes the quick way from its second time on */
        if (round > 0) {
            works[0] = dist_irecv(came, (rank + size - 1) % size);
            for (double until = dist_time() + 1e-6 * (double)ref_below(&own, 80); dist_time() < until;)
                ;
            works[1] = dist_all_gather(all, in, .async_op = true);
        }
        dist_barrier();
    }
    dist_wait(works[1]);
    for (int i = 0; i < size; i++)
        exam_check(exam, tensor_item(all, i * 50) == i + 1, "of rank %d came %g", i,
                   tensor_item(all, i * 50));
    tensor *goes = tensor_full(DIST_F32, 1, 3);
    dist_send(goes, (rank + 1) % size);
    dist_wait(works[0]);
    tensor_free(goes);
    tensor_free(in);
    tensor_free(all);
    tensor_free(came);
}

static void many_jobs_behind_a_guest(const char *ranks)
{
    if (ranks)
        setenv("DIST_RANKS", ranks, 1);
    for (int i = 0; i < JOBS; i++)
        talk_run("behind a guest", 16, behind_a_guest);
}

Test(quick_sums, behind_a_guest)
{
    many_jobs_behind_a_guest(NULL);
}

Test(quick_sums, behind_a_guest_of_threads)
{
    many_jobs_behind_a_guest("threads");
}

/* As after so many collectives, a multiple of the sets that there are, and those that there were beyond one. */
static void be_at(uint32_t number)
{
    struct shm_state *shm = context_get()->state;
    shm->world_group.seq = number + shm->world_group.seq % (2 * AHEAD);
}

/* A monitored_barrier after 2^31 collectives without one; then a burst over the end of the numbers. */
static void numbers_go_round(struct exam *exam, int rank, int size)
{
    dist_work *works[60];
    tensor *t[60], *dirt = tensor_full(DIST_I32, 1, 1000);
    for (int i = 0; i < 2; i++) /* both slots of rank 0, where answers stand, too */
        dist_broadcast(dirt, 0);
    tensor_free(dirt);
    be_at(0x80000000u);
    exam_check(exam, dist_monitored_barrier(.timeout = 50) == 0, "an old answer is taken for a new one");
    be_at(0u - 4 * AHEAD);
    for (int i = 0; i < 60; i++) {
        t[i] = tensor_full(DIST_I32, rank + i, 1 + i % 20);
        works[i] = dist_all_reduce(t[i], .async_op = true);
    }
    dist_wait_all(works, 60);
    exam_check(exam, dist_monitored_barrier(.timeout = 50) == 0, "who has come is said not to have");
    for (int i = 0; i < 60; i++) {
        exam_check(exam, tensor_item(t[i], i % 20) == size * (size - 1) / 2 + size * i, "sum %d is %g", i,
                   tensor_item(t[i], i % 20));
        tensor_free(t[i]);
    }
}

TALK_TESTS(quick_sums, numbers_go_round, 3, numbers_go_round)
