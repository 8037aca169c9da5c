/*
 * near.c: the nearest miss: a send and a receive that would have met but for one argument, a tag, a group or a rank.
 */
#include "diagnose.h"

#include <stdio.h>

/* A send (or a letter that nobody asked for) of `from` to `to` that nearly is what `to` waits for. */
struct near_miss {
    int waiter;                /* the rank that waits, */
    const struct note_op *own; /* for this: */
    int other;                 /* the rank of the operation that nearly matches */
    const struct note_op *op;
    int distance; /* 1: another tag; 2: another group; 3: the waiter names another rank; 4: that other does */
};

/* Will the rank never come to send or receive again, because it has left or is held by a collective? */
static bool near_out_of_reach(const struct view *view)
{
    return has_left(view) || (waits(view) && in_collective(&view->open[0]));
}

/* How far is `op`, a send of `other` (or a receive, if `waiter` sends), from `own`, for which `waiter` waits? 0: no relation, as with
 * a message of a collective, whose tag nobody chooses, or one that its stream has not come to: the program has not got there either. */
static int near_distance(const struct diagnosis *d, int waiter, const struct note_op *own, int other,
                         const struct note_op *op)
{
    bool named = own->peer == other || own->peer == DIST_ANY_SOURCE;
    if (op->tag < 0 || op->behind)
        return 0;
    if (named)
        return own->group != op->group ? 2 : own->tag != op->tag;
    bool alike = own->group == op->group && own->tag == op->tag;
    bool itself = own->peer == waiter && own->call != CALL_SEND && own->call != CALL_RECV; /* cause.c */
    return alike && (itself || near_out_of_reach(&d->views[own->peer])) ? 3 : 0;
}

static void near_consider(const struct diagnosis *d, struct near_miss *best, int other,
                          const struct note_op *op)
{
    int far = near_distance(d, best->waiter, best->own, other, op);
    if (far > 0 && (best->distance == 0 || far < best->distance)) {
        best->other = other;
        best->op = op;
        best->distance = far;
    }
}

/* The rank that is waited for has the other half open, but has addressed it to somebody who will not come for it. */
static void near_consider_addressed_elsewhere(const struct diagnosis *d, struct near_miss *best,
                                              uint8_t wanted)
{
    const struct note_op *own = best->own;
    if (own->peer == DIST_ANY_SOURCE || own->peer == best->waiter)
        return;
    const struct view *view = &d->views[own->peer];
    for (int i = 0; i < view->count; i++) {
        const struct note_op *op = &view->open[i];
        if (op->kind == wanted && !op->behind && op->peer != DIST_ANY_SOURCE && op->peer != best->waiter &&
            op->tag == own->tag && op->group == own->group && op->type == own->type &&
            op->count == own->count && near_out_of_reach(&d->views[op->peer]) && best->distance == 0) {
            best->other = own->peer;
            best->op = op;
            best->distance = 4;
        }
    }
}

/* The nearest to one thing that `waiter` waits for. */
static struct near_miss near_nearest_to(const struct diagnosis *d, int waiter, const struct note_op *own)
{
    struct near_miss best = { .waiter = waiter, .own = own };
    const struct view *view = &d->views[waiter];
    uint8_t wanted = own->kind == NOTE_RECV ? NOTE_SEND : NOTE_RECV;
    for (int other = 0; other < d->size; other++)
        for (int i = 0; i < d->views[other].count; i++) {
            const struct note_op *op = &d->views[other].open[i];
            if (op->kind == wanted && (op->peer == waiter || op->peer == DIST_ANY_SOURCE))
                near_consider(d, &best, other, op);
        }
    for (int i = 0; i < view->count && wanted == NOTE_SEND; i++)
        if (view->open[i].kind == NOTE_LETTER)
            near_consider(d, &best, view->open[i].peer, &view->open[i]);
    near_consider_addressed_elsewhere(d, &best, wanted);
    return best;
}

static struct near_miss near_find_near_miss(const struct diagnosis *d)
{
    struct near_miss best = { 0 };
    for (int waiter = 0; waiter < d->size; waiter++) {
        const struct view *view = &d->views[waiter];
        for (int i = -1; (i = next_awaited(view, i)) >= 0;) {
            if (in_collective(&view->open[i]) || view->open[i].behind)
                continue;
            struct near_miss near = near_nearest_to(d, waiter, &view->open[i]);
            if (near.distance > 0 && (best.distance == 0 || near.distance < best.distance))
                best = near;
        }
    }
    return best;
}

bool tell_near_miss(struct diagnosis *d)
{
    static const char *const doing[] = {
        [NOTE_SEND] = "sends to", [NOTE_RECV] = "receives from", [NOTE_LETTER] = "sent to"
    };
    struct near_miss near = near_find_near_miss(d);
    if (near.distance == 0)
        return false;
    const struct note_op *own = near.own;
    const char *const advice[] = {
        "", "give both calls the same tag; or, if both ranks make both calls, in the same order",
        "give both calls the same group",
        own->kind == NOTE_RECV ? "name the rank that really sends, or let that rank send"
                               : "name the rank that really receives, or let that rank receive",
        "let both calls name each other's rank"
    };
    char there[80];
    describe_place(d, near.other, near.op->site, there, sizeof there);
    d->class = CAUSE_MISMATCH;
    say_wait(d, near.waiter, own);
    if (near.distance == 1)
        say(d, " with tag %d; rank %d %s it with tag %d (%s)", own->tag, near.other, doing[near.op->kind],
            near.op->tag, there);
    else if (near.distance == 2)
        say(d, "; rank %d %s it on another group (%s)", near.other, doing[near.op->kind], there);
    else if (near.distance == 4)
        say(d, "; rank %d %s rank %d instead (%s)", near.other, doing[near.op->kind], near.op->peer, there);
    else
        say(d, "; the nearest unmatched call is rank %d's, which %s it (%s)", near.other,
            doing[near.op->kind], there);
    advise(d, near.distance == 2 ? LESSON_TWO_GROUPS : LESSON_NOT_MET, advice[near.distance]);
    return true;
}
