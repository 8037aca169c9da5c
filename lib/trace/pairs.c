#include "pairs.h"

#include <stdlib.h>

/* One half of a message, with all that decides who its other half is. */
struct half {
    int32_t src, dst, tag;
    uint16_t group;
    uint8_t receives;
    int32_t rank; /* whose event it is: src or dst */
    uint32_t event;
    uint64_t begin;
};

static int pairs_by_channel(const struct half *a, const struct half *b)
{
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

static int pairs_by_order(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
    int channel = pairs_by_channel(a, b);
    if (channel != 0)
        return channel;
    if (a->receives != b->receives)
        return a->receives ? 1 : -1;
    /* The places of several threads do not lie in the order of time. */
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

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
                           .tag = event->tag,
                           .group = event->group,
                           .receives = receives,
                           .rank = rank,
                           .event = index,
                           .begin = event->begin };
    return peer >= 0;
}

static size_t pairs_gather(const struct world *world, struct half *halves)
{
    size_t count = 0;
    for (int rank = 0; rank < world->header->size; rank++) {
        const struct record *record = record_of(world, rank);
        uint32_t kept = atomic_load(&record->magic) == TRACE_MAGIC ? record_kept(record, NULL) : 0;
        for (uint32_t i = 0; i < kept; i++)
            count += pairs_half_of(world, rank, i, &halves[count]);
    }
    return count;
}

/* One channel: its sends, then its receives. Gives where the next channel begins. */
static size_t pairs_join_channel(struct pairs *pairs, const struct half *halves, size_t from, size_t count)
{
    size_t sends = from, end = from;
    while (end < count && pairs_by_channel(&halves[from], &halves[end]) == 0)
        sends += !halves[end++].receives;
    for (size_t send = from, receive = sends; send < sends && receive < end; send++, receive++) {
        pairs->count++;
        pairs->message[halves[send].rank][halves[send].event] = pairs->count;
        pairs->message[halves[receive].rank][halves[receive].event] = pairs->count;
    }
    return end;
}

bool pairs_find(struct pairs *pairs, const struct world *world)
{
    size_t total = 0;
    *pairs = (struct pairs){ .ranks = world->header->size };
    pairs->message = calloc((size_t)pairs->ranks, sizeof *pairs->message);
    for (int rank = 0; pairs->message && rank < pairs->ranks; rank++) {
        uint32_t kept = record_kept(record_of(world, rank), NULL);
        total += kept;
        pairs->message[rank] = calloc((size_t)kept + 1, sizeof **pairs->message);
        if (!pairs->message[rank])
            return false;
    }
    struct half *halves = pairs->message ? malloc((total + 1) * sizeof *halves) : NULL;
    if (!halves)
        return false;
    size_t count = pairs_gather(world, halves);
    qsort(halves, count, sizeof *halves, pairs_by_order);
    for (size_t from = 0; from < count;)
        from = pairs_join_channel(pairs, halves, from, count);
    free(halves);
    return true;
}

void pairs_free(struct pairs *pairs)
{
    for (int rank = 0; pairs->message && rank < pairs->ranks; rank++)
        free(pairs->message[rank]);
    free(pairs->message);
}
