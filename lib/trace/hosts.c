/*
 * hosts.c: ranks of several machines in one file. Each event's time is by the clock of its machine, and these differ by days. How far each
 * was ahead of node 0's, and how exactly that is known, was found out when the job began and when it had ended (launch/control_trace.c).
 * Between the two looks the lead is taken to change evenly.
 */
#include "line.h"
#include "trace.h"
#include "../launch/nodes.h"

#include <string.h>

#define NEAR 1000000000 /* ns: looks that are closer tell nothing of how fast the clock is */

/* What counts at a moment by that clock: one of the two looks, or one between them. */
static struct clock_reading hosts_look(const struct node_clock *clock, int64_t when)
{
    const struct clock_reading *first = &clock->first, *last = &clock->last;
    int64_t apart = last->when - first->when;
    if (first->error == 0 || last->error == 0)
        return first->error ? *first : *last;
    if (apart < NEAR)
        return first->error < last->error ? *first : *last;
    struct clock_reading between = { .when = when,
                                     .error = first->error > last->error ? first->error : last->error };
    double part = (double)(when - first->when) / (double)apart;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    between.ahead = first->ahead + (int64_t)(part * (double)(last->ahead - first->ahead));
    return between;
}

static uint64_t hosts_by_our_clock(const struct node_clock *clock, uint64_t when)
{
    return when - (uint64_t)hosts_look(clock, (int64_t)when).ahead;
}

static void hosts_bring_rank(const struct world *world, int rank, const struct node_clock *clock)
{
    const struct record *record = record_of(world, rank);
    for (struct event *event = NULL; (event = record_next(record, event));) {
        uint64_t end = atomic_load(&event->end);
        if (event->kind == EVENT_STREAM && event->in > 0)
            event->in = (int64_t)hosts_by_our_clock(clock, (uint64_t)event->in);
        event->begin = hosts_by_our_clock(clock, event->begin);
        if (end > 0) /* else it never ended */
            atomic_store(&event->end, hosts_by_our_clock(clock, end));
    }
}

void hosts_bring_together(const struct world *world, const struct nodes *nodes)
{
    for (int rank = 0; nodes && rank < nodes->size; rank++)
        if (nodes->node_of[rank] > 0)
            hosts_bring_rank(world, rank, &nodes->links[nodes->node_of[rank]].clock);
}

/* ---- in the file ------------------------------------------------------------------------------------------------- */

/* A host that was lost, or on which less memory may be used (ulimit -v), is missing: none of its ranks' events came. */
void hosts_write(struct writing *w)
{
    fputs("\"hosts\":[", w->file);
    for (int node = 0; node < w->nodes->count; node++) {
        const struct connection *link = &w->nodes->links[node];
        int first = nodes_first(w->nodes, node), count = nodes_ranks_of(w->nodes, node);
        struct clock_reading look = hosts_look(&link->clock, link->clock.last.when);
        bool there = atomic_load(&record_of(w->world, first)->magic) == TRACE_MAGIC;
        fprintf(w->file, "%s\n{\"node\":%d,\"name\":", node ? "," : "", node);
        text_put_json(w->file, link->name, strlen(link->name));
        fprintf(w->file, ",\"first_rank\":%d,\"ranks\":%d,\"clock_ahead_ns\":%lld,\"clock_error_ns\":%lld%s}",
                first, count, (long long)look.ahead, (long long)look.error, there ? "" : ",\"missing\":true");
    }
    fputs("],\n", w->file);
}

void hosts_write_label(struct writing *w)
{
    int node = w->nodes->node_of[w->rank];
    const struct connection *link = &w->nodes->links[node];
    double error = (double)hosts_look(&link->clock, link->clock.last.when).error / 1e3;
    struct words label = words_of(node ? "%s, clock within %.1f us" : "%s", link->name, error);
    line_begin_name(w, "process_labels", 1, "labels");
    text_put_json(w->file, label.text, strlen(label.text));
    fputs("}}", w->file);
}

/* What a copy of a rank's record needs: first what its events point to, so that whoever has the events has that, too. */
bool trace_part(const struct world *world, int rank, int part, uint64_t *from, uint64_t *bytes)
{
    const struct record *record = record_of(world, rank);
    if (part > 1 || atomic_load(&record->magic) != TRACE_MAGIC)
        return false;
    uint32_t notes = atomic_load(&record->notes);
    *from = part == 0 ? record->notes_offset : 0;
    *bytes = part == 0 ? (notes < record->notes_room ? notes : record->notes_room)
                       : sizeof *record + record_kept(record) * sizeof(struct event);
    return true;
}
