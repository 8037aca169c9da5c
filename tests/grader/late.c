/*
 * late.c: every call that the learner's file makes comes a little late, by chance.
 *
 * A program that is right only when its ranks happen to be in step is wrong. So grade_one.sh renames the calls in the
 * learner's object, dist_send_from to desk_late_send_from and so on, and here each sleeps for up to half a millisecond
 * before it does what it was asked for. What the library calls inside itself stays as it is.
 */
#define _GNU_SOURCE
#include "desk.h"
#include "marks.h"
#include "sheet.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATEST 500 /* microseconds */
#define PAUSE 1000

static uint64_t state; /* 0: nothing comes late */

void desk_late_begin(int rank)
{
    const char *seed = getenv(SHEET_LATE);
    state = seed ? strtoull(seed, NULL, 10) * 2654435761u + (uint64_t)rank + 1 : 0;
}

/* Half of the calls come in time: most mistakes show where one rank is late and another is not. */
void desk_late(void)
{
    if (state == 0)
        return;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state >> 20 & 1)
        usleep((unsigned)(state >> 24) % LATEST);
}

static _Thread_local int pause_at, messages; /* calls that send or receive and block */

void desk_pause_at(int call)
{
    pause_at = call;
    messages = 0;
}

static void late_message(void)
{
    desk_late();
    if (pause_at > 0 && ++messages == pause_at)
        usleep(PAUSE);
}

/* A span of the learner's own may have any name but one of the desk's. */
struct dist_span_mark desk_own_span_begin(struct dist_at at, const char *format, ...);
struct dist_span_mark desk_own_span_begin(struct dist_at at, const char *format, ...)
{
    char name[200];
    va_list values;
    va_start(values, format);
    vsnprintf(name, sizeof name, format, values);
    va_end(values);
    return dist_span_begin(at, "%s%s", strncmp(name, "desk", 4) == 0 ? "own " : "", name);
}

/* How many events has the learner's file made, and not freed? */
static _Thread_local int events;

int desk_events(void)
{
    return events;
}

dist_event *desk_late_event_record_at(struct dist_at at);
dist_event *desk_late_event_record_at(struct dist_at at)
{
    events++;
    return dist_event_record_at(at);
}

int desk_late_event_free_at(struct dist_at at, dist_event *event);
int desk_late_event_free_at(struct dist_at at, dist_event *event)
{
    events -= event != NULL;
    return dist_event_free_at(at, event);
}

/* Late, and perhaps held back (held.c). */
dist_work *desk_late_all_reduce_with(struct dist_all_reduce_args args);
dist_work *desk_late_all_reduce_with(struct dist_all_reduce_args args)
{
    desk_late();
    desk_held_start();
    return dist_all_reduce_with(args);
}

/* Of a program that asks for a work again and again the trace tells only that it was there in the end. Who asks three times in a row for
 * what it has just sent, each time in vain, does nothing but wait for it. */
static _Thread_local dist_work *sent;
static _Thread_local int in_vain;

dist_work *desk_late_isend_from(const char *file, int line, tensor *t, int dst, int tag, dist_group *g);
dist_work *desk_late_isend_from(const char *file, int line, tensor *t, int dst, int tag, dist_group *g)
{
    desk_late();
    in_vain = 0;
    return sent = dist_isend_from(file, line, t, dst, tag, g);
}

int desk_late_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int n, dist_work **works);
int desk_late_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int n, dist_work **works)
{
    desk_late();
    int status = dist_batch_isend_irecv_at(at, ops, n, works);
    in_vain = 0;
    for (int i = 0; i < n; i++)
        sent = ops[i].kind == DIST_ISEND ? works[i] : sent;
    return status;
}

bool desk_late_is_completed_at(struct dist_at at, dist_work *work);
bool desk_late_is_completed_at(struct dist_at at, dist_work *work)
{
    desk_late();
    bool done = dist_is_completed_at(at, work);
    in_vain = work == sent && !done ? in_vain + 1 : 0;
    if (in_vain == 3)
        dist_span(ASKS_AGAIN)
            desk_late();
    return done;
}

#define LATE_BY(late, type, call, parameters, arguments) \
    type desk_late_##call parameters; \
    type desk_late_##call parameters \
    { \
        late(); \
        return dist_##call arguments; \
    }
#define LATE(type, call, parameters, arguments) LATE_BY(desk_late, type, call, parameters, arguments)

LATE_BY(late_message, int, send_from,
        (const char *file, int line, tensor *t, int dst, int tag, dist_group *g),
        (file, line, t, dst, tag, g))
LATE_BY(late_message, int, recv_from,
        (const char *file, int line, tensor *t, int src, int tag, dist_group *g),
        (file, line, t, src, tag, g))
LATE(dist_work *, irecv_from, (const char *file, int line, tensor *t, int src, int tag, dist_group *g),
     (file, line, t, src, tag, g))
LATE(int, wait_at, (struct dist_at at, dist_work *work), (at, work))
LATE(int, wait_all_at, (struct dist_at at, dist_work **works, int count), (at, works, count))
LATE(int, wait_any_with, (struct dist_wait_any_args args), (args))
LATE(dist_work *, broadcast_with, (struct dist_broadcast_args args), (args))
LATE(dist_work *, reduce_with, (struct dist_reduce_args args), (args))
LATE(dist_work *, scatter_with, (struct dist_scatter_args args), (args))
LATE(dist_work *, gather_with, (struct dist_gather_args args), (args))
LATE(dist_work *, all_gather_with, (struct dist_exchange_args args), (args))
LATE(dist_work *, all_to_all_with, (struct dist_all_to_all_args args), (args))
LATE(dist_work *, reduce_scatter_with, (struct dist_reduce_scatter_args args), (args))
LATE(dist_work *, barrier_with, (struct dist_barrier_args args), (args))
LATE(int, monitored_barrier_with, (struct dist_monitored_barrier_args args), (args))
