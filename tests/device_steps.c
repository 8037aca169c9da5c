/* device_steps.c: see device_steps.h. */
#define _GNU_SOURCE
#include "device_steps.h"
#include "reference.h"

#include <stdio.h>
#include <unistd.h>

static int draw(struct test *test, int limit)
{
    return (int)ref_below(&test->random, limit);
}

void complain(struct test *test, const char *what, int stream, int cell)
{
    if (!test->wrong[0])
        snprintf(test->wrong, sizeof test->wrong, "%s: stream %d, cell %d", what, stream, cell);
}

void await(const struct test *test, int stream)
{
    while (!test->device->stream_passed(test->streams[stream]))
        usleep(10);
}

static void learn(struct point *point, const struct point *from)
{
    for (int i = 0; i < STREAMS; i++)
        if (point->knows[i] < from->knows[i])
            point->knows[i] = from->knows[i];
    point->shut |= from->shut;
}

static struct kernel add_one(struct test *test, int s, void *out)
{
    struct kernel kernel = {
        .kind = KERNEL_REDUCE, .type = DIST_I64, .op = DIST_SUM, .count = 1, .out = out
    };
    int64_t sum = 1;
    kernel.in[kernel.inputs++] = test->cells[s]; /* cell 0 holds 1 */
    for (int i = 0; i < INPUTS; i++) {
        int from = draw(test, STREAMS), count = test->at[s].knows[from];
        if (count == 0 || rank_of(from) != rank_of(s))
            continue;
        int cell = count - 1 - draw(test, count < 4 ? count : 4);
        kernel.in[kernel.inputs++] = test->cells[from] + 8 * (1 + cell);
        sum = (int64_t)((uint64_t)sum + (uint64_t)test->value[from][cell]);
    }
    test->value[s][test->made[s]] = sum;
    return kernel;
}

static void step_kernel(struct test *test, int s)
{
    if (test->made[s] + 1 >= CELLS)
        return;
    char *out = test->cells[s] + 8 * (1 + test->made[s]);
    bool by_way = draw(test, 4) == 0; /* through memory that is freed at once */
    void *state = test->states[rank_of(s)], *aside = by_way ? test->device->alloc(state, 8) : NULL;
    struct kernel kernel = add_one(test, s, aside ? aside : out);
    bool good = test->device->launch(test->streams[s], &kernel) == DIST_OK;
    if (aside) {
        good = good && test->device->copy(test->streams[s], out, aside, 8, COPY_INSIDE) == DIST_OK;
        test->device->free(state, aside);
    }
    if (!good)
        complain(test, device_why(), s, test->made[s]);
    test->at[s].knows[s] = ++test->made[s];
}

/* Another rank's cell, and with it what that has added up. */
static void step_copy(struct test *test, int s)
{
    int from = draw(test, STREAMS), count = test->at[s].knows[from];
    if (count == 0 || test->made[s] + 1 >= CELLS)
        return;
    int cell = draw(test, count);
    test->value[s][test->made[s]] = test->value[from][cell];
    if (test->device->copy(test->streams[s], test->cells[s] + 8 * (1 + test->made[s]),
                           test->cells[from] + 8 * (1 + cell), 8, COPY_INSIDE) != DIST_OK)
        complain(test, device_why(), s, test->made[s]);
    test->at[s].knows[s] = ++test->made[s];
}

/* An event belongs to a rank; each is recorded in any of its streams. A mark never overtakes the one before it, even in
 * another stream: which may so get in front of a gate. */
static void step_record(struct test *test, int s)
{
    int e = rank_of(s) * (EVENTS / TEST_RANKS) + draw(test, EVENTS / TEST_RANKS);
    mark_record(test->events[e], test->streams[s]);
    test->at[s].shut |= test->marked[e].shut;
    test->marked[e] = test->at[s];
}

static void step_follow(struct test *test, int s)
{
    int e = draw(test, EVENTS);
    mark_follow(test->events[e], test->streams[s]);
    learn(&test->at[s], &test->marked[e]);
}

static void step_hold(struct test *test, int s)
{
    int g = draw(test, GATES);
    if (test->gates[g])
        return;
    test->gates[g] = test->device->gate_new(test->states[rank_of(s)]);
    mark_follow(test->gates[g], test->streams[s]);
    test->at[s].shut |= 1u << g;
}

/* Whoever stood before the gate stands before what its opener stands before, and comes after what that comes after. */
void step_opened(struct test *test, int g, const struct point *by)
{
    for (int i = 0; i < STREAMS; i++)
        if (test->at[i].shut & 1u << g) {
            test->at[i].shut &= ~(1u << g);
            learn(&test->at[i], by);
        }
    for (int e = 0; e < EVENTS; e++)
        if (test->marked[e].shut & 1u << g) {
            test->marked[e].shut &= ~(1u << g);
            learn(&test->marked[e], by);
        }
    mark_free(test->gates[g]);
    test->gates[g] = NULL;
}

static void step_open(struct test *test, int s)
{
    int g = draw(test, GATES);
    if (!test->gates[g])
        return;
    struct point by = { .shut = 0 };
    if (test->at[s].shut & 1u << g) { /* nobody opens a gate from behind it */
        mark_open(test->gates[g]);
    } else {
        by = test->at[s];
        mark_open_behind(test->gates[g], test->streams[s]);
    }
    step_opened(test, g, &by);
}

/* What the device says of a stream and an event must be what the bits say. */
static void step_ask(struct test *test, int s)
{
    int e = draw(test, EVENTS);
    if (mark_sure(test->events[e]) != (test->marked[e].shut == 0))
        complain(test, "an event is sure, or not, and should be the other", -1, e);
    if (test->at[s].shut && test->device->stream_passed(test->streams[s]))
        complain(test, "passed a closed gate", s, test->made[s]);
    if (!test->at[s].shut && draw(test, 8) == 0)
        await(test, s);
}

void step_make(struct test *test)
{
    static void (*const steps[])(struct test *, int) = { step_kernel, step_kernel, step_kernel, step_copy,
                                                         step_record, step_follow, step_follow, step_hold,
                                                         step_open,   step_ask };
    int step = draw(test, sizeof steps / sizeof *steps);
    steps[step](test, draw(test, STREAMS));
}
