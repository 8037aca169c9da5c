/*
 * test_wakeups.c: is anybody who sleeps woken, every time?
 *
 * A sleeper looks again after a nap of 100 ms, so a lost wake-up does not hang a job: it costs about that long. Here ranks hand a
 * token around, and dawdle at random, so that quick ways and sleeps alternate; each measures its rounds, and counts those that
 * took one nap. A busy machine may delay a round by any time, but hardly ever by just this one.
 */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "started.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define STEPS 3000
#define NAP_SECONDS 0.100
#define EARLY 0.003      /* the clock that ends a nap, and ours, are not the same */
#define LATE 0.012       /* until the sleeper has its core again, and the rest of the round is over */
#define MOST_DAWDLE 300  /* us */
#define MOST_NAPS 6      /* of all ranks' rounds together: noise */
#define MOST_COUNT 10000 /* a long letter */

enum mode { BLOCKING, ONE_IN_BACKGROUND, WITH_COLLECTIVES };

static void dawdle(uint64_t *dice)
{
    if (ref_below(dice, 2))
        usleep((useconds_t)ref_below(dice, MOST_DAWDLE));
}

static void hear(tensor *token, int from, bool background, uint64_t *dice)
{
    int source = ref_below(dice, 3) ? from : DIST_ANY_SOURCE;
    if (!background) {
        dist_recv(token, source);
        return;
    }
    dist_work *work = dist_irecv(token, source);
    dawdle(dice);
    dist_wait(work);
}

/* Once around: rank 0 sends the step's number, and gets it back with one added by each other rank. */
static void round_of(struct exam *exam, tensor *token, int step, int rank, int size, uint64_t *dice)
{
    enum mode mode = *(const enum mode *)exam->given;
    bool background = mode == ONE_IN_BACKGROUND && rank == 1;
    int32_t *values = tensor_data(token);
    int from = (rank + size - 1) % size, to = (rank + 1) % size;
    values[0] = step;
    if (rank == 0)
        dist_send(token, to);
    hear(token, from, background, dice);
    int wanted = step + (rank == 0 ? size : rank) - 1;
    exam_check(exam, values[0] == wanted, "step %d: the token is %d and must be %d", step, values[0], wanted);
    if (rank == 0)
        return;
    values[0]++;
    dawdle(dice);
    dist_send(token, to);
}

static void body(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    tensor *tokens[] = { tensor_zeros(DIST_I32, 1), tensor_zeros(DIST_I32, 200),
                         tensor_zeros(DIST_I32, MOST_COUNT) };
    for (int step = 0; step < STEPS; step++) {
        tensor *token = tokens[ref_below(&common, 40) == 0 ? 2 : ref_below(&common, 4) == 0];
        dawdle(&own);
        double begin = seconds_now();
        round_of(exam, token, step, rank, size, &own);
        if (*(const enum mode *)exam->given == WITH_COLLECTIVES)
            dist_barrier();
        double took = seconds_now() - begin;
        if (took > NAP_SECONDS - EARLY && took < NAP_SECONDS + LATE)
            atomic_fetch_add(&exam->board[0], 1);
    }
    for (int i = 0; i < 3; i++)
        tensor_free(tokens[i]);
}

/* On so many cores, or on as many as there are. */
static void stay_on(int cores)
{
    cpu_set_t mine, fewer;
    CPU_ZERO(&fewer);
    cr_assert(sched_getaffinity(0, sizeof mine, &mine) == 0);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&fewer) < cores; i++)
        if (CPU_ISSET(i, &mine))
            CPU_SET(i, &fewer);
    cr_assert(sched_setaffinity(0, sizeof fewer, &fewer) == 0);
}

static void wakeups(const char *name, int size, int cores, enum mode mode)
{
    struct exam *exam = exam_new(name, size);
    exam->seconds = 60; /* only a hang takes so long */
    exam->given = &mode;
    stay_on(cores);
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    unsigned naps = atomic_load(&exam->board[0]);
    cr_assert(naps <= MOST_NAPS, "%s: %u of %d rounds took as long as a nap: wake-ups are lost", name, naps,
              size * STEPS);
    exam_free(exam);
}

TestSuite(wakeups, .timeout = 100);

Test(wakeups, two_ranks_on_two_cores)
{
    wakeups("2 ranks, 2 cores", 2, 2, BLOCKING);
}

Test(wakeups, two_ranks_on_one_core)
{
    wakeups("2 ranks, 1 core", 2, 1, BLOCKING);
}

Test(wakeups, three_ranks_on_two_cores)
{
    wakeups("3 ranks, 2 cores", 3, 2, BLOCKING);
}

Test(wakeups, of_one_with_a_helper)
{
    wakeups("3 ranks, one in the background", 3, 2, ONE_IN_BACKGROUND);
}

Test(wakeups, between_barriers)
{
    wakeups("3 ranks, barriers", 3, 2, WITH_COLLECTIVES);
}

Test(wakeups, of_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    wakeups("3 threads, barriers", 3, 2, WITH_COLLECTIVES);
}
