/*
 * messages.c: ping-pong, ring and barrier.
 *
 * What is sent is what was just received, and both its ends change with every message: a library that notices that nothing
 * has changed, or reads from a cache what nobody has written, would look better than it is. Before and after, every
 * element is looked at.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "timing.h"

#include <string.h>

static void set_ends(struct buffer *ball, float value)
{
    ball->x[0] = ball->x[ball->count - 1] = value;
}

static void see_ends(struct job *job, const struct buffer *ball, float value)
{
    if (ball->x[0] != value)
        wrong(job, "first element", ball->x[0], value);
    if (ball->x[ball->count - 1] != value)
        wrong(job, "last element", ball->x[ball->count - 1], value);
}

/* There and back. */
static void rally(struct job *job, int turn)
{
    struct buffer *ball = job->notes;
    float value = (float)(turn & 1023);
    if (job->rank == 0) {
        set_ends(ball, value);
        side_send(ball, 1);
        side_recv(ball, 1);
        see_ends(job, ball, value + 1);
    } else if (job->rank == 1) {
        side_recv(ball, 0);
        see_ends(job, ball, value);
        set_ends(ball, value + 1);
        side_send(ball, 0);
    }
}

/* Once round, through everybody's hands. */
static void round_trip(struct job *job, int turn)
{
    struct buffer *ball = job->notes;
    int next = (job->rank + 1) % job->size, previous = (job->rank + job->size - 1) % job->size;
    float value = (float)(turn & 1023), mine = value + (float)(job->rank ? job->rank - 1 : job->size - 1);
    if (job->rank == 0) {
        set_ends(ball, value);
        side_send(ball, next);
    }
    side_recv(ball, previous);
    see_ends(job, ball, mine);
    if (job->rank != 0) {
        set_ends(ball, mine + 1);
        side_send(ball, next);
    }
}

static void meet(struct job *job, int turn)
{
    (void)job;
    (void)turn;
    side_barrier();
}

/* Every element, there and back: rank 0's numbers must come back to it, and rank 1 must have had them. */
static void see_all(struct job *job, timed_call *call)
{
    struct buffer *ball = job->notes;
    long last = call == rally && job->rank > 1 ? 0 : ball->count - 1;
    for (long i = 0; i <= last; i++)
        ball->x[i] = job->rank == 0 ? (float)(i & 0xffff) : -1;
    call(job, 7);
    for (long i = 1; i < last; i++)
        if (ball->x[i] != (float)(i & 0xffff))
            wrong(job, "an element inside", ball->x[i], (double)(i & 0xffff));
}

int messages_run(struct job *job)
{
    static const struct {
        const char *name;
        timed_call *call;
    } cases[] = { { "ping-pong", rally }, { "ring", round_trip }, { "barrier", meet } };
    int i = 0;
    while (i < 3 && strcmp(job->name, cases[i].name) != 0)
        i++;
    if (i == 3)
        return 0;

    struct buffer ball;
    side_new(&ball, job->count);
    job->notes = &ball;
    if (i < 2)
        see_all(job, cases[i].call);
    double us = pace(job, cases[i].call);
    if (i < 2)
        see_all(job, cases[i].call);
    if (job->rank == 0)
        tell(job->name, job->size, job->bytes, us / (i == 0 ? 2 : i == 1 ? job->size : 1), "us");
    side_free(&ball);
    return 1;
}
