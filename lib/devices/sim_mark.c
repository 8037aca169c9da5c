/*
 * sim_mark.c: events and gates: what a stream leaves behind where it has been, and what makes it wait. A gate is an event with one
 * mark, that not only a stream can make pass.
 */
#include "sim.h"

#include <stdlib.h>

bool sim_may_pass(const struct item *item)
{
    return item->kind != ITEM_FOLLOW || item->event->passed >= item->mark;
}

/* A stream of another rank that stands at this mark sleeps on an event count of its own. */
static void sim_mark_pass(struct event *event, uint64_t mark)
{
    event->passed = mark;
    event->sure = event->sure < mark ? mark : event->sure;
    event->time = launch_clock_ns();
    sim_notify(event->sim);
    for (struct item **at = &event->followers; *at;) {
        struct item *item = *at;
        if (item->mark > mark) {
            at = &item->next_follower;
            continue;
        }
        if (item->stream->sim != event->sim)
            sim_notify(item->stream->sim);
        *at = item->next_follower;
    }
}

void sim_mark(const struct item *item)
{
    if (item->kind == ITEM_RECORD)
        sim_mark_pass(item->event, item->mark);
}

void sim_stand(struct item *item)
{
    struct event *event = item->event;
    if (!sim_may_pass(item)) {
        item->next_follower = event->followers;
        event->followers = item;
    }
    if (!item->stream->unsure)
        item->stream->unsure = item;
}

void sim_unuse(struct event *event)
{
    if (event && --event->users == 0)
        free(event);
}

/* ---- events ---------------------------------------------------------------------------- */

struct event *sim_event_new(void *state, bool timed)
{
    (void)timed;
    struct event *event = calloc(1, sizeof *event);
    if (event)
        *event = (struct event){ .sim = state, .users = 1 };
    return event;
}

void sim_event_free(struct event *event)
{
    pthread_mutex_lock(&sim_lock);
    sim_unuse(event);
    pthread_mutex_unlock(&sim_lock);
}

/* An event may move to another stream only behind its last mark there, else marks would pass out of order. */
int sim_event_record(struct event *event, struct stream *stream)
{
    pthread_mutex_lock(&sim_lock);
    struct stream *before = event->stream;
    uint64_t last = event->marks, mark = ++event->marks;
    bool moves = before && before != stream && event->passed < last;
    event->stream = stream;
    pthread_mutex_unlock(&sim_lock);
    int status = DIST_OK;
    if (moves)
        status = sim_put(
            stream, (struct item){ .kind = ITEM_FOLLOW, .event = event, .mark = last, .marker = before });
    if (status == DIST_OK)
        status = sim_put(stream, (struct item){ .kind = ITEM_RECORD, .event = event, .mark = mark });
    return status;
}

int sim_event_follow(struct event *event, struct stream *stream)
{
    pthread_mutex_lock(&sim_lock);
    struct item item = { .kind = ITEM_FOLLOW, .event = event, .mark = event->marks, .marker = event->stream };
    bool passed = event->passed >= item.mark;
    pthread_mutex_unlock(&sim_lock);
    return passed ? DIST_OK : sim_put(stream, item);
}

bool sim_event_passed(struct event *event)
{
    pthread_mutex_lock(&sim_lock);
    bool passed = event->passed >= event->marks;
    pthread_mutex_unlock(&sim_lock);
    return passed;
}

double sim_event_elapsed(struct event *from, struct event *to)
{
    pthread_mutex_lock(&sim_lock);
    int64_t elapsed = to->time - from->time;
    pthread_mutex_unlock(&sim_lock);
    return (double)elapsed * 1e-9;
}

/* ---- gates ----------------------------------------------------------------------------- */

struct event *sim_gate_new(void *state)
{
    struct event *gate = sim_event_new(state, false);
    if (gate) {
        gate->marks = 1;
        gate->gate = true;
    }
    return gate;
}

int sim_gate_open_behind(struct event *gate, struct stream *stream)
{
    pthread_mutex_lock(&sim_lock);
    gate->stream = stream;
    pthread_mutex_unlock(&sim_lock);
    return sim_put(stream, (struct item){ .kind = ITEM_RECORD, .event = gate, .mark = 1 });
}

/* Nobody may touch the gate once it is open: a stream that passes it may free it. */
void sim_gate_open(struct event *gate)
{
    pthread_mutex_lock(&sim_lock);
    sim_mark_pass(gate, 1);
    pthread_mutex_unlock(&sim_lock);
}

/* Each stream that an event leads to stands before that event, so no stream comes twice, but for the mistake of
 * streams that follow each other in a ring, which cannot be: an event is followed only after it was recorded. */
struct event *sim_stream_held(struct stream *stream)
{
    struct event *gate = NULL;
    pthread_mutex_lock(&sim_lock);
    for (int i = 0; i < DEVICE_STREAMS && stream && stream->first && !gate; i++) {
        const struct item *item = stream->first;
        bool stands = !sim_may_pass(item); /* a stream that has passed the mark may have been freed since */
        gate = stands && item->event->gate ? item->event : NULL;
        stream = stands ? item->marker : NULL;
    }
    pthread_mutex_unlock(&sim_lock);
    return gate;
}

/* ---- what will pass by itself? A stream is sure up to the first item that nobody has yet seen to: a gate that is closed and has
 * nothing in a stream to open it, or an event, or a gate with an opener, that is not sure itself. That border only moves on. So each
 * stream keeps it, and whoever asks moves it as far as it goes, in the streams that it depends on, too.
 *
 * If streams depend on each other in a ring, none of them can be sure: one that is being asked already has gone as far as it can without
 * the others. */

static void sim_sure_ask(struct stream *stream);

static bool sim_sure_is_sure(const struct item *item)
{
    const struct event *event = item->event;
    if (item->kind != ITEM_FOLLOW)
        return true;
    struct stream *marker = event->gate ? event->stream : item->marker;
    if (event->sure < item->mark && marker)
        sim_sure_ask(marker);
    return event->sure >= item->mark;
}

static void sim_sure_ask(struct stream *stream)
{
    if (stream->asked)
        return;
    stream->asked = true;
    for (struct item *item; (item = stream->unsure) && sim_sure_is_sure(item); stream->unsure = item->next) {
        if (item->kind == ITEM_RECORD && item->event->sure < item->mark)
            item->event->sure = item->mark;
    }
    stream->asked = false;
}

bool sim_event_sure(struct event *event)
{
    pthread_mutex_lock(&sim_lock);
    if (event->sure < event->marks)
        sim_sure_ask(event->stream);
    bool sure = event->sure >= event->marks;
    pthread_mutex_unlock(&sim_lock);
    return sure;
}
