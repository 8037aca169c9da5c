/*
 * order.c: walks along all ranks at once. Each goes on until it comes to something that has not happened yet; whoever
 * makes that happen puts it back into the queue.
 */
#include "walk.h"

#include <math.h>
#include <stdlib.h>

void walk_push(struct walk *walk, int rank)
{
    if (walk->walkers[rank].queued)
        return;
    walk->walkers[rank].queued = true;
    walk->queue[(walk->head + walk->waiting++) % walk->run->ranks] = rank;
}

static int pop(struct walk *walk)
{
    int rank = walk->queue[walk->head];
    walk->head = (walk->head + 1) % walk->run->ranks;
    walk->waiting--;
    walk->walkers[rank].queued = false;
    return rank;
}

static void go(struct walk *walk, int rank, bool forced)
{
    struct walker *w = &walk->walkers[rank];
    while (w->next < w->end && walk_step(walk, rank, forced)) {
        w->next++;
        forced = false;
    }
    while (w->next == w->end && w->depth > 0)
        walk_close_span(walk, w);
}

static void walk_all(struct walk *walk)
{
    const struct run *run = walk->run;
    int behind = 0; /* all ranks before it have come to their end */
    for (int rank = 0; rank < run->ranks; rank++) {
        walk->walkers[rank].next = run->first[rank];
        walk->walkers[rank].end = run->first[rank + 1];
        walk_push(walk, rank);
    }
    while (behind < run->ranks) {
        while (walk->waiting > 0)
            go(walk, pop(walk), false);
        while (behind < run->ranks && walk->walkers[behind].next == walk->walkers[behind].end)
            behind++;
        if (behind < run->ranks)
            go(walk, behind, true); /* the run was stuck there, or the trace is incomplete */
    }
}

/* ---- the clock instead ------------------------------------------------------------------ */

static void by_time(struct order *order, const struct run *run, double columns)
{
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; i < run->count; i++)
        if (run->acts[i].kind != ACT_OTHER) {
            first = fmin(first, run->acts[i].begin);
            last = fmax(last, run->acts[i].end);
        }
    double scale = last > first ? columns / (last - first) : 0;
    for (int i = 0; i < run->count; i++) {
        const struct act *act = &run->acts[i];
        bool leaves = act->kind == ACT_SEND || act->kind == ACT_ISEND || act->kind == ACT_IRECV;
        order->spot[i].from = 1 + (act->begin - first) * scale;
        order->spot[i].at = 1 + ((leaves ? act->begin : act->end) - first) * scale;
    }
    order->end = 1 + columns;
}

static bool prepare(struct walk *walk)
{
    const struct run *run = walk->run;
    size_t ranks = (size_t)run->ranks, acts = (size_t)run->count + 1;
    walk->order->spot = calloc(acts, sizeof *walk->order->spot);
    walk->walkers = calloc(ranks, sizeof *walk->walkers);
    walk->queue = calloc(ranks, sizeof *walk->queue);
    walk->meeting_of = malloc(acts * sizeof *walk->meeting_of);
    walk->meeting_count = order_meetings(run, &walk->meetings, &walk->acts);
    size_t meetings = walk->meeting_count > 0 ? (size_t)walk->meeting_count : 1;
    walk->gatherings = calloc(meetings, sizeof *walk->gatherings);
    if (!walk->order->spot || !walk->walkers || !walk->queue || !walk->meeting_of || !walk->gatherings ||
        walk->meeting_count < 0)
        return false;
    for (int i = 0; i < run->count; i++) {
        walk->meeting_of[i] = -1;
        walk->order->spot[i].from = -1;
    }
    for (int m = 0; m < walk->meeting_count; m++)
        for (int i = 0; i < walk->meetings[m].count; i++)
            walk->meeting_of[walk->acts[walk->meetings[m].first + i]] = m;
    return true;
}

bool order_find(struct order *order, const struct run *run, const struct order_style *style)
{
    struct walk walk = { .run = run, .style = style, .order = order };
    *order = (struct order){ 0 };
    bool good = prepare(&walk);
    if (good)
        walk_all(&walk);
    if (good && style->time)
        by_time(order, run, style->columns);
    free(walk.walkers);
    free(walk.queue);
    free(walk.meetings);
    free(walk.acts);
    free(walk.meeting_of);
    free(walk.gatherings);
    return good;
}

void order_free(struct order *order)
{
    free(order->spot);
    order->spot = NULL;
}
