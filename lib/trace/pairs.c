/* pairs.c: which receive took which send: the arrows of a trace. */
#include "line.h"
#include "../pairing.h"

#include <stdlib.h>

/* False: no message, or nobody knows who sent it. */
static bool pairs_half_of(const struct world *world, int rank, uint32_t index, struct half *half)
{
    const struct record *record = record_of(world, rank);
    const struct event *event = &record->events[index];
    if (atomic_load(&event->kind) != EVENT_MESSAGE)
        return false;
    bool receives = event->call == CALL_RECV || event->call == CALL_IRECV;
    int peer = receives && event->from >= 0 ? event->from : event->peer;
    *half = (struct half){ .src = receives ? peer : rank,
                           .dst = receives ? rank : peer,
                           .group = event->group,
                           .tag = (uint32_t)event->tag + (1u << 31), /* the least tag comes first */
                           .receives = receives,
                           .rank = rank,
                           .begin = event->begin, /* the places of several threads lie in no order of time */
                           .entry = index };
    return peer >= 0;
}

static size_t pairs_gather(const struct world *world, struct half *halves)
{
    size_t count = 0;
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct record *record = record_of(world, rank);
        for (uint32_t i = 0, kept = record_kept(record); i < kept; i++)
            count += pairs_half_of(world, rank, i, &halves[count]);
    }
    return count;
}

/* Gives where the next channel begins. */
static size_t pairs_join_channel(struct writing *w, uint32_t *messages, const struct half *halves,
                                 size_t from, size_t count)
{
    size_t receives, end = half_channel_end(halves, count, from, &receives);
    for (size_t send = from, receive = receives; send < receives && receive < end; send++, receive++) {
        w->message[halves[send].rank][halves[send].entry] = ++*messages;
        w->message[halves[receive].rank][halves[receive].entry] = *messages;
    }
    return end;
}

bool pairs_find(struct writing *w)
{
    struct half *halves = malloc((w->events + 1) * sizeof *halves);
    uint32_t messages = 0;
    if (!halves)
        return false;
    size_t count = pairs_gather(w->world, halves);
    qsort(halves, count, sizeof *halves, half_compare);
    for (size_t from = 0; from < count;)
        from = pairs_join_channel(w, &messages, halves, from, count);
    free(halves);
    return true;
}
