/*
 * sim_sure.c: what will pass by itself?
 *
 * A stream is sure up to the first item that nobody has yet seen to: a gate that is closed and has nothing in a stream to
 * open it, or an event, or a gate with an opener, that is not sure itself. That border only moves on. So each stream keeps
 * it, and whoever asks moves it as far as it goes, in the streams that it depends on, too.
 *
 * If streams depend on each other in a ring, none of them can be sure: one that is being asked already has gone as far as
 * it can without the others.
 */
#include "sim.h"

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
