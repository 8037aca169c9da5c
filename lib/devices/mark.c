/*
 * mark.c: events and gates: what marks how far a stream has come, and what makes it wait. A gate is an event with one mark, that
 * also the host can make pass.
 */
#include "stream.h"

#include <stdlib.h>

#define LONGEST 64 /* streams that wait for each other in a row, as far as anybody looks */

void mark_unuse(struct event *event)
{
    if (!event || --event->users > 0)
        return;
    if (event->engine->drop)
        event->engine->drop(event);
    else
        free(event);
}

/* ---- events ------------------------------------------------------------------------------- */

void mark_free(struct event *event)
{
    streams_lock();
    mark_unuse(event);
    streams_unlock();
}

/* A mark that an item still names may not be overtaken: it is not given itself, or a stream will be told later to wait for it,
 * and CUDA knows only the newest mark of an event. So in another stream, the next one first follows it. */
int mark_record(struct event *event, struct stream *stream)
{
    int status = DIST_OK;
    streams_lock();
    uint64_t last = event->marks, mark = ++event->marks;
    bool named = event->users > 1, moves = event->stream && event->stream != stream && named;
    event->stream = stream;
    if (moves)
        status = stream_put(stream, &(struct item){ .kind = ITEM_FOLLOW, .event = event, .mark = last });
    if (status == DIST_OK)
        status = stream_put(stream, &(struct item){ .kind = ITEM_RECORD, .event = event, .mark = mark });
    if (status != DIST_OK && event->given < mark)
        event->marks = last; /* nobody shall wait for one that is not there */
    streams_unlock();
    return status;
}

int mark_follow(struct event *event, struct stream *stream)
{
    int status = DIST_OK;
    streams_lock();
    if (event->marks > 0)
        status =
            stream_put(stream, &(struct item){ .kind = ITEM_FOLLOW, .event = event, .mark = event->marks });
    streams_unlock();
    return status;
}

bool mark_passed(struct event *event)
{
    streams_lock();
    bool passed = event->marks == 0 || (event->given == event->marks && event->engine->past(event));
    streams_unlock();
    return passed;
}

bool mark_sure(struct event *event)
{
    streams_lock();
    bool sure = event->given == event->marks;
    streams_unlock();
    return sure;
}

/* ---- gates -------------------------------------------------------------------------------- */

int mark_open_behind(struct event *gate, struct stream *stream)
{
    streams_lock();
    int status = gate->engine->prepare ? gate->engine->prepare(gate, stream) : DIST_OK;
    if (status == DIST_OK) {
        gate->stream = stream;
        status = stream_put(stream, &(struct item){ .kind = ITEM_RECORD, .event = gate, .mark = 1 });
    }
    streams_unlock();
    return status;
}

/* Nobody may touch the gate once the lock is let go: a stream that passes it may free it. */
void mark_open(struct event *gate)
{
    streams_lock();
    gate->open = true;
    gate->given = 1;
    stream_go_on();
    gate->engine->news(gate);
    streams_unlock();
}

/* What a stream holds back on the host begins with a gate, or with the event of a stream that holds back more. */
struct event *mark_held(struct stream *stream)
{
    struct event *gate = NULL;
    streams_lock();
    for (int i = 0; i < LONGEST && stream && stream->first && !gate; i++) {
        struct event *event = stream->first->event;
        gate = event->gate ? event : NULL;
        stream = event->stream;
    }
    streams_unlock();
    return gate;
}
