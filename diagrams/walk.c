/* walk.c: one step of one rank: where its next act stands, or that it has to wait. */
#include "walk.h"

#include <math.h>

/* Where the next act of a walker can stand at the earliest. */
static double free_place(const struct walk *walk, const struct walker *w)
{
    return w->here + (w->after_span ? 0 : walk->style->step);
}

static void set(struct walk *walk, struct walker *w, int act, double at, bool ticks)
{
    struct spot *spot = &walk->order->spot[act];
    spot->at = at;
    spot->known = true;
    if (ticks)
        spot->clock = ++w->clock;
    w->here = at;
    w->after_span = false;
    if (at > walk->order->end)
        walk->order->end = at;
}

/* ---- spans ------------------------------------------------------------------------- */

void walk_close_span(struct walk *walk, struct walker *w)
{
    int act = w->open[--w->depth];
    struct spot *spot = &walk->order->spot[act];
    double least = spot->from + walk->style->width(&walk->run->acts[act]);
    set(walk, w, act, w->here > least ? w->here : least, false);
    w->after_span = true;
}

static void close_spans_before(struct walk *walk, struct walker *w, double time)
{
    while (w->depth > 0 && walk->run->acts[w->open[w->depth - 1]].end <= time)
        walk_close_span(walk, w);
}

static void open_span(struct walk *walk, struct walker *w, int act)
{
    walk->order->spot[act].from = w->here;
    if (w->depth == WALK_DEPTH)
        walk_close_span(walk, w);
    w->open[w->depth++] = act;
    w->after_span = true; /* what stands inside may begin where the span does */
}

/* ---- messages and meetings ------------------------------------------------------------ */

/* A message arrives at this act. `forced`: its send never happened. */
static bool arrive(struct walk *walk, struct walker *w, int act, int message, bool forced)
{
    struct spot *spot = &walk->order->spot[act];
    spot->from = free_place(walk, w);
    double at = spot->from;
    if (message >= 0) {
        const struct spot *send = &walk->order->spot[walk->run->messages[message].send];
        if (!send->known && !forced)
            return false;
        if (send->known)
            at = fmax(at + walk->style->step, send->at + walk->style->travel);
        if (send->known && send->clock > w->clock)
            w->clock = send->clock;
    }
    set(walk, w, act, at, true);
    return true;
}

/* Come to a meeting; the last one to come calls the others. */
static void come(struct walk *walk, struct walker *w, int meeting)
{
    struct gathering *g = &walk->gatherings[meeting];
    const struct meeting *m = &walk->meetings[meeting];
    double place = free_place(walk, w);
    g->latest = place > g->latest ? place : g->latest;
    g->clock = w->clock > g->clock ? w->clock : g->clock;
    if (++g->arrived == m->count)
        for (int i = 0; i < m->count; i++)
            walk_push(walk, walk->run->acts[walk->acts[m->first + i]].rank);
}

/* Leave it: all at the same place. */
static bool leave(struct walk *walk, struct walker *w, int act, int meeting, bool forced)
{
    const struct gathering *g = &walk->gatherings[meeting];
    if (g->arrived < walk->meetings[meeting].count && !forced)
        return false;
    if (g->clock > w->clock)
        w->clock = g->clock;
    set(walk, w, act, fmax(free_place(walk, w), g->latest + walk->style->step), true);
    return true;
}

static bool meet(struct walk *walk, struct walker *w, int act, bool forced)
{
    struct spot *spot = &walk->order->spot[act];
    int meeting = walk->meeting_of[act];
    if (spot->from < 0) {
        spot->from = free_place(walk, w);
        come(walk, w, meeting);
    }
    if (walk->run->acts[act].finished < 0)
        return leave(walk, w, act, meeting, forced);
    set(walk, w, act, spot->from, false);
    return true;
}

static bool wait_for(struct walk *walk, struct walker *w, int act, bool forced)
{
    const struct act *wait = &walk->run->acts[act];
    const struct act *started = wait->started >= 0 ? &walk->run->acts[wait->started] : NULL;
    bool first = started && started->finished == act;
    walk->order->spot[act].from = free_place(walk, w);
    if (first && started->kind == ACT_IRECV && started->message >= 0)
        return arrive(walk, w, act, started->message, forced);
    if (first && started->kind == ACT_COLLECTIVE && walk->meeting_of[wait->started] >= 0)
        return leave(walk, w, act, walk->meeting_of[wait->started], forced);
    walk->order->spot[act].at = w->here; /* it waits for nobody: it takes no place */
    walk->order->spot[act].known = true;
    return true;
}

bool walk_step(struct walk *walk, int rank, bool forced)
{
    struct walker *w = &walk->walkers[rank];
    int act = w->next;
    const struct act *a = &walk->run->acts[act];
    close_spans_before(walk, w, a->begin);
    switch (a->kind) {
    case ACT_SEND:
    case ACT_ISEND:
        walk->order->spot[act].from = free_place(walk, w);
        set(walk, w, act, free_place(walk, w), true);
        if (a->message >= 0)
            walk_push(walk, walk->run->acts[walk->run->messages[a->message].recv].rank);
        return true;
    case ACT_RECV:
        return arrive(walk, w, act, a->message, forced);
    case ACT_IRECV:
        walk->order->spot[act].from = free_place(walk, w);
        set(walk, w, act, free_place(walk, w), false);
        return true;
    case ACT_COLLECTIVE:
        return walk->meeting_of[act] < 0 || meet(walk, w, act, forced);
    case ACT_WAIT:
        return wait_for(walk, w, act, forced);
    case ACT_SPAN:
        open_span(walk, w, act);
        return true;
    case ACT_OTHER:
        break;
    }
    return true;
}
