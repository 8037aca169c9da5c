/* stream.c: what stands in a stream, and when it is handed to the GPU. stream.h has the rule. */
#include "stream.h"

#include <stdlib.h>

_Atomic bool streams_spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stream *held; /* streams with items that were not given */

void streams_lock(void)
{
    if (atomic_load_explicit(&streams_spin, memory_order_relaxed))
        backoff_lock(&mutex);
    else
        pthread_mutex_lock(&mutex);
}

void streams_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* ---- giving ----------------------------------------------------------------------------- */

static bool stream_may_give(const struct item *item)
{
    return item->kind != ITEM_FOLLOW || item->event->given >= item->mark;
}

/* An item that fails counts as given, so that nothing waits for it for ever. */
static int stream_give(struct stream *stream, const struct item *item)
{
    stream->given++;
    int error = stream->engine->give(stream, item);
    if (item->kind == ITEM_RECORD)
        item->event->given = item->mark;
    return error;
}

static void stream_give_first(struct stream *stream)
{
    struct item *item = stream->first;
    int error = stream_give(stream, item);
    stream->first = item->next;
    if (!stream->first)
        stream->end = &stream->first;
    stream_free_item(item);
    if (error)
        stream->engine->refused(stream, error, true);
}

/* Once round is not always enough: what was given in one stream may be what an earlier one waits for. */
void stream_go_on(void)
{
    const struct engine *engine = held ? held->engine : NULL;
    bool any = false, moved = held != NULL;
    while (moved) {
        moved = false;
        for (struct stream **at = &held; *at;) {
            struct stream *stream = *at;
            for (; stream->first && stream_may_give(stream->first); moved = true)
                stream_give_first(stream);
            if (stream->first)
                at = &stream->next_held;
            else
                *at = stream->next_held;
        }
        any |= moved;
    }
    if (any)
        engine->news(NULL);
}

/* ---- putting ------------------------------------------------------------------------------ */

struct item *stream_new_item(const struct item *what)
{
    struct item *item = malloc(sizeof *item);
    if (!item) {
        device_fail(DIST_ERR_MEMORY, "the system gives no memory for one more entry of a stream");
        return NULL;
    }
    *item = *what;
    item->next = NULL;
    if (item->event)
        item->event->users++;
    return item;
}

void stream_free_item(struct item *item)
{
    mark_unuse(item->event);
    free(item);
}

static int stream_keep(struct stream *stream, const struct item *what)
{
    struct item *item = stream_new_item(what);
    if (!item)
        return DIST_ERR_MEMORY;
    if (!stream->first) {
        stream->next_held = held;
        held = stream;
    }
    *stream->end = item;
    stream->end = &item->next;
    stream->put++;
    return DIST_OK;
}

int stream_put(struct stream *stream, const struct item *item)
{
    int status = stream->engine->check(stream);
    if (status != DIST_OK)
        return status;
    if (stream->first || !stream_may_give(item))
        return stream_keep(stream, item);
    stream->put++;
    int error = stream_give(stream, item);
    if (item->kind == ITEM_RECORD)
        stream_go_on();
    return error ? stream->engine->refused(stream, error, false) : DIST_OK;
}

/* ---- memory that streams may still use ------------------------------------------------------- */

struct retired {
    void *memory;
    uint64_t until[GPU_STREAMS];
    struct retired *next;
};

void retired_add(struct retired_list *list, struct stream *const *streams, void *memory)
{
    struct retired *retired = calloc(1, sizeof *retired);
    if (!retired)
        return; /* then it is lost until the rank ends */
    retired->memory = memory;
    for (int i = 0; i < GPU_STREAMS; i++)
        retired->until[i] = streams[i] ? streams[i]->put : 0;
    *(list->first ? &list->last->next : &list->first) = retired;
    list->last = retired;
}

/* What was freed later is not past before. */
void *retired_take(struct retired_list *list, struct stream *const *streams)
{
    struct retired *retired = list->first;
    for (int i = 0; retired && i < GPU_STREAMS; i++)
        if (streams[i] && streams[i]->done < retired->until[i])
            return NULL;
    if (!retired)
        return NULL;
    void *memory = retired->memory;
    list->first = retired->next;
    free(retired);
    return memory;
}

void stream_end(struct stream *stream, struct stream **streams, struct retired_list *list)
{
    struct stream **at = &held;
    while (stream->first && *at != stream)
        at = &(*at)->next_held;
    if (stream->first)
        *at = stream->next_held;
    for (struct item *item; (item = stream->first);) {
        stream->first = item->next;
        stream_free_item(item);
    }
    streams[1 + stream->number] = NULL;
    for (struct retired *retired = list->first; retired; retired = retired->next)
        retired->until[1 + stream->number] = 0;
}
