/*
 * cause.c: one cause, one sentence, one suggestion.
 *
 * What is looked for, in this order:
 *   1. a send and a receive that nearly match: same pair but another tag or group; or a message for a rank that
 *      waits for somebody else, who will not send (has left, or stands in a collective that cannot end)
 *   2. somebody waits for a rank that has left the job
 *   3. ranks that wait for each other in a cycle
 */
#include "diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A send (or a letter that nobody asked for) of `from` to `to` that nearly is what `to` waits for. */
struct near_miss {
    int waiter; /* the rank that waits */
    int other;  /* the rank of the operation that nearly matches */
    const struct note_op *op;
    int distance; /* 1: another tag; 2: another group; 3: another rank; 4: it names another rank than the waiter */
};

/* Will the rank never come to send or receive again, because it has left or is held by a collective? */
static bool out_of_reach(const struct view *view)
{
    return has_left(view) || (waits(view) && view->open[0].kind == NOTE_COLLECTIVE);
}

/* How far is `op`, a send of `other` (or a receive, if `waiter` sends), from what `waiter` waits for? 0: no relation. */
static int distance(const struct diagnosis *d, int waiter, int other, const struct note_op *op)
{
    const struct note_op *own = &d->views[waiter].open[0];
    bool any = own->peer == DIST_ANY_SOURCE || op->peer == DIST_ANY_SOURCE;
    if (own->peer == other || any) {
        if (own->group != op->group)
            return 2;
        bool of_calls =
            own->tag >= 0 && op->tag >= 0; /* else it is inside a collective, where nobody chooses tags */
        return of_calls && own->tag != op->tag ? 1 : 0;
    }
    return out_of_reach(&d->views[own->peer]) ? 3 : 0;
}

static void consider(const struct diagnosis *d, struct near_miss *best, int waiter, int other,
                     const struct note_op *op)
{
    int far = distance(d, waiter, other, op);
    if (far > 0 && (best->distance == 0 || far < best->distance))
        *best = (struct near_miss){ waiter, other, op, far };
}

/* The rank that is waited for has the other half open, but has addressed it to somebody who will not come for it. */
static void consider_addressed_elsewhere(const struct diagnosis *d, struct near_miss *best, int waiter,
                                         uint8_t wanted)
{
    const struct note_op *own = &d->views[waiter].open[0];
    if (own->peer == DIST_ANY_SOURCE || own->peer == waiter)
        return;
    const struct view *view = &d->views[own->peer];
    for (int i = 0; i < view->count; i++) {
        const struct note_op *op = &view->open[i];
        if (op->kind == wanted && op->peer != DIST_ANY_SOURCE && op->peer != waiter && op->tag == own->tag &&
            op->group == own->group && op->type == own->type && op->count == own->count &&
            out_of_reach(&d->views[op->peer]) && best->distance == 0)
            *best = (struct near_miss){ waiter, own->peer, op, 4 };
    }
}

static struct near_miss find_near_miss(const struct diagnosis *d)
{
    struct near_miss best = { 0 };
    for (int waiter = 0; waiter < d->size; waiter++) {
        const struct view *view = &d->views[waiter];
        if (!waits(view) || view->open[0].kind == NOTE_COLLECTIVE)
            continue;
        uint8_t wanted = view->open[0].kind == NOTE_RECV ? NOTE_SEND : NOTE_RECV;
        for (int other = 0; other < d->size; other++)
            for (int i = 0; i < d->views[other].count; i++) {
                const struct note_op *op = &d->views[other].open[i];
                if (op->kind == wanted && (op->peer == waiter || op->peer == DIST_ANY_SOURCE) &&
                    other != waiter)
                    consider(d, &best, waiter, other, op);
            }
        for (int i = 0; i < view->count && wanted == NOTE_SEND; i++)
            if (view->open[i].kind == NOTE_LETTER)
                consider(d, &best, waiter, view->open[i].peer, &view->open[i]);
        consider_addressed_elsewhere(d, &best, waiter, wanted);
    }
    return best;
}

/* Add to the sentence; what does not fit is cut off. */
static void say(struct diagnosis *d, const char *format, ...)
{
    size_t used = strlen(d->sentence);
    va_list list;
    va_start(list, format);
    vsnprintf(d->sentence + used, sizeof d->sentence - used, format, list);
    va_end(list);
}

static void say_wait(struct diagnosis *d, int rank, const struct note_op *op)
{
    char here[80];
    describe_place(d, rank, op->site, here, sizeof here);
    say(d, "rank %d waits to %s", rank, op->kind == NOTE_RECV ? "receive from" : "send to");
    if (op->peer == DIST_ANY_SOURCE)
        say(d, " anybody (%s)", here);
    else
        say(d, " rank %d (%s)", op->peer, here);
}

static void tell_near_miss(struct diagnosis *d, const struct near_miss *near)
{
    static const char *const doing[] = {
        [NOTE_SEND] = "sends to", [NOTE_RECV] = "receives from", [NOTE_LETTER] = "sent to"
    };
    static const char *const advice[] = { "", "give both calls the same tag",
                                          "give both calls the same group",
                                          "name the rank that really sends, or let that rank send",
                                          "let both calls name each other's rank" };
    const struct note_op *own = &d->views[near->waiter].open[0];
    char there[80];
    describe_place(d, near->other, near->op->site, there, sizeof there);
    d->class = CAUSE_MISMATCH;
    say_wait(d, near->waiter, own);
    if (near->distance == 1)
        say(d, " with tag %d; rank %d %s it with tag %d (%s)", own->tag, near->other, doing[near->op->kind],
            near->op->tag, there);
    else if (near->distance == 2)
        say(d, "; rank %d %s it on another group (%s)", near->other, doing[near->op->kind], there);
    else if (near->distance == 4)
        say(d, "; rank %d %s rank %d instead (%s)", near->other, doing[near->op->kind], near->op->peer,
            there);
    else
        say(d, "; the nearest unmatched call is rank %d's, which %s it (%s)", near->other,
            doing[near->op->kind], there);
    snprintf(d->advice, sizeof d->advice, "%s", advice[near->distance]);
}

static bool tell_left(struct diagnosis *d)
{
    for (int rank = 0; rank < d->size; rank++)
        for (int peer = 0; peer < d->size; peer++) {
            if (!has_left(&d->views[peer]) || !waits_for(d, rank, peer) || needs_only_one(&d->views[rank]))
                continue;
            const struct note_op *op = &d->views[rank].open[0];
            char here[80];
            describe_place(d, rank, op->site, here, sizeof here);
            d->class = CAUSE_PEER_LEFT;
            say(d, "rank %d waits in %s (%s) for rank %d, which has left the job", rank, call_name(op->call),
                here, peer);
            snprintf(d->advice, sizeof d->advice,
                     "let rank %d make the matching call before it leaves, or rank %d not wait", peer, rank);
            return true;
        }
    return false;
}

/* Is every wait of the cycle of this kind? */
static bool all_of(const struct diagnosis *d, enum note_kind kind)
{
    for (int i = 0; i < d->cycle_length; i++)
        if (d->views[d->cycle[i]].open[0].kind != kind)
            return false;
    return true;
}

static void tell_cycle(struct diagnosis *d)
{
    int n = d->cycle_length, a = d->cycle[0], b = n > 1 ? d->cycle[1] : a;
    d->class = CAUSE_DEADLOCK;
    if (n == 1)
        snprintf(d->sentence, sizeof d->sentence,
                 "rank %d waits for itself, and cannot make the other call while it waits", a);
    else if (n == 2)
        snprintf(d->sentence, sizeof d->sentence, "ranks %d and %d wait for each other", a, b);
    else
        snprintf(d->sentence, sizeof d->sentence, "%d ranks wait for each other in a cycle", n);
    if (n == 1)
        snprintf(d->advice, sizeof d->advice,
                 "start one of the two with dist_isend or dist_irecv, then wait for both");
    else if (all_of(d, NOTE_SEND))
        snprintf(d->advice, sizeof d->advice,
                 "let odd ranks receive first, or send with dist_isend and wait afterwards");
    else if (all_of(d, NOTE_RECV))
        snprintf(d->advice, sizeof d->advice,
                 "somebody must send first: let even ranks send before they receive, or use dist_irecv");
    else if (all_of(d, NOTE_COLLECTIVE))
        snprintf(d->advice, sizeof d->advice,
                 "let all ranks call the collectives of their groups in the same order");
    else
        snprintf(d->advice, sizeof d->advice,
                 "let these ranks make their calls in one order, or start one of them without waiting");
}

void explain_luck(struct diagnosis *d)
{
    char cycle[sizeof d->sentence];
    tell_cycle(d);
    snprintf(cycle, sizeof cycle, "%s", d->sentence);
    d->class = CAUSE_LUCK;
    snprintf(d->sentence, sizeof d->sentence, "%s",
             "this run ended only because its messages were small enough to be buffered: otherwise ");
    say(d, "%s", cycle);
}

void find_cause(struct diagnosis *d)
{
    struct near_miss near = find_near_miss(d);
    if (near.distance > 0)
        tell_near_miss(d, &near);
    else if (d->cycle_length > 0 || !tell_left(d)) {
        if (d->cycle_length > 0) {
            tell_cycle(d);
        } else {
            d->class = CAUSE_PEER_LEFT;
            snprintf(d->sentence, sizeof d->sentence, "all that could still send have left the job");
            snprintf(d->advice, sizeof d->advice, "count the messages: each receive needs a send of its own");
        }
    }
}
