/* near.c: a send and a receive that were meant to meet, and do not, but for one argument: a tag, a group or a rank. */
#include "diagnose.h"

/* What makes them miss each other, the nearest first. */
enum distance { NEAR_NOT, NEAR_TAG, NEAR_GROUP, NEAR_WAITERS_RANK, NEAR_OTHERS_RANK };

/* A send (or an unexpected message) of `other` that nearly is what `waiter` waits for; or a receive, if that sends. */
struct near_miss {
    int waiter;                /* the rank that waits, */
    const struct note_op *own; /* for this: */
    int other;                 /* the rank of the operation that nearly matches */
    const struct note_op *op;
    enum distance distance;
    bool astray; /* as near_all_astray says */
};

/* Will the rank never come to send or receive again, because it has left or is held by a collective? */
static bool near_out_of_reach(const struct view *view)
{
    return has_left(view) || (waits(view) && in_collective(&view->open[0]));
}

/* No relation has a message of a collective, whose tag nobody chooses, or one that its stream has not come to: the program has not got
 * there either. Where the waiter itself is named, that is told as a cycle (cause.c), but for a call that only waits. */
static enum distance near_distance(const struct diagnosis *d, const struct near_miss *near)
{
    const struct note_op *own = near->own, *op = near->op;
    bool alike = own->group == op->group && own->tag == op->tag, itself = own->peer == near->waiter;
    if (op->tag < 0 || op->behind)
        return NEAR_NOT;
    if (op->kind != NOTE_UNEXPECTED && op->peer != near->waiter && op->peer != DIST_ANY_SOURCE)
        /* the rank that is waited for has addressed it to somebody who will not come for it */
        return alike && near->other == own->peer && !itself && op->type == own->type &&
                       op->count == own->count && near_out_of_reach(&d->views[op->peer])
                   ? NEAR_OTHERS_RANK
                   : NEAR_NOT;
    if (own->peer == near->other || own->peer == DIST_ANY_SOURCE)
        return own->group != op->group ? NEAR_GROUP : own->tag != op->tag ? NEAR_TAG : NEAR_NOT;
    itself &= own->call != CALL_SEND && own->call != CALL_RECV;
    return alike && (itself || near->astray || near_out_of_reach(&d->views[own->peer])) ? NEAR_WAITERS_RANK
                                                                                        : NEAR_NOT;
}

static bool near_is_awaited(const struct diagnosis *d, const struct near_miss *near)
{
    const struct view *view = &d->views[near->other];
    for (int i = -1; (i = next_awaited(view, i)) >= 0;)
        if (&view->open[i] == near->op)
            return true;
    return false;
}

/* Would others be stuck even if the waiter went on? */
static bool near_stuck_anyway(const struct diagnosis *d, const struct near_miss *near)
{
    bool stuck = d->cycle_length > 0;
    for (int i = 0; i < d->cycle_length; i++)
        stuck &= d->cycle[i] != near->waiter && !needs_only_one(&d->views[d->cycle[i]]);
    for (int peer = 0; peer < d->size && !needs_only_one(&d->views[near->other]); peer++)
        stuck |= has_left(&d->views[peer]) && waits_for(d, near->other, peer);
    return stuck;
}

/* A message for which its rank does not wait may be meant for a later call. It is told only where all but that one argument is right, and
 * nothing else is certainly wrong. */
static bool near_may_be_meant(const struct diagnosis *d, const struct near_miss *near)
{
    return near_is_awaited(d, near) || (near->own->type == near->op->type &&
                                        near->own->count == near->op->count && !near_stuck_anyway(d, near));
}

static void near_consider(const struct diagnosis *d, struct near_miss *best, struct near_miss *near,
                          int other, const struct note_op *op)
{
    near->other = other;
    near->op = op;
    near->distance = near_distance(d, near);
    if (near->distance != NEAR_NOT && near_may_be_meant(d, near) &&
        (best->distance == NEAR_NOT || near->distance < best->distance))
        *best = *near;
}

/* All that is like one thing that `waiter` waits for. */
static void near_consider_all(const struct diagnosis *d, struct near_miss *best, int waiter,
                              const struct note_op *own)
{
    struct near_miss near = { .waiter = waiter, .own = own, .astray = best->astray };
    const struct view *view = &d->views[waiter];
    int wanted = own->kind == NOTE_RECV ? NOTE_SEND : NOTE_RECV;
    for (int other = 0; other < d->size; other++)
        for (int i = 0; i < d->views[other].count; i++)
            if (d->views[other].open[i].kind == wanted)
                near_consider(d, best, &near, other, &d->views[other].open[i]);
    for (int i = 0; i < view->count && wanted == NOTE_SEND; i++)
        if (view->open[i].kind == NOTE_UNEXPECTED)
            near_consider(d, best, &near, view->open[i].peer, &view->open[i]);
}

/* All of a cycle wait to receive, and each is sent what it waits for by another one of them, which it does not name: a ring, say, in
 * which all send to the right, and receive from the right. (Or the other way round.) None of them is late. */
static bool near_all_astray(const struct diagnosis *d)
{
    int n = d->cycle_length;
    bool astray = n > 2 && (how_many(d, NOTE_SEND) == n || how_many(d, NOTE_RECV) == n);
    for (int i = 0; i < n && astray; i++) {
        struct near_miss near = { .astray = true };
        near_consider_all(d, &near, d->cycle[i], link_of(d, i));
        astray = near.distance == NEAR_WAITERS_RANK && in_cycle(d, near.other);
    }
    return astray;
}

bool tell_near_miss(struct diagnosis *d)
{
    struct near_miss near = { .astray = near_all_astray(d) };
    for (int waiter = 0; waiter < d->size; waiter++) {
        const struct view *view = &d->views[waiter];
        for (int i = -1; (i = next_awaited(view, i)) >= 0;)
            if (!in_collective(&view->open[i]) && !view->open[i].behind)
                near_consider_all(d, &near, waiter, &view->open[i]);
    }
    if (near.distance == NEAR_NOT)
        return false;
    const struct note_op *own = near.own, *op = near.op;
    struct words there = place_of(d, near.other, op->site);
    const char *does = op->kind == NOTE_SEND   ? "sends to"
                       : op->kind == NOTE_RECV ? "receives from"
                                               : "sent to";
    d->error = DIST_ERR_MISMATCH;
    say_wait(d, near.waiter, own);
    if (near.distance == NEAR_TAG) {
        why_add(&d->sentence, " with tag %d; rank %d %s it with tag %d (%s)", own->tag, near.other, does,
                op->tag, there.text);
        advise(d, LESSON_NOT_MET,
               "give both calls the same tag; or, if both ranks make both calls, in the same order");
    } else if (near.distance == NEAR_GROUP) {
        why_add(&d->sentence, "; rank %d %s it on another group (%s)", near.other, does, there.text);
        advise(d, LESSON_TWO_GROUPS,
               "give both calls the same group; or, if both ranks make both calls, in the same order");
    } else if (near.distance == NEAR_OTHERS_RANK) {
        why_add(&d->sentence, "; rank %d %s rank %d instead (%s)", near.other, does, op->peer, there.text);
        advise(d, LESSON_NOT_MET, "let both calls name each other's rank");
    } else {
        why_add(&d->sentence, "; the nearest unmatched call is rank %d's, which %s it (%s)", near.other, does,
                there.text);
        advise(d, LESSON_NOT_MET,
               own->kind == NOTE_RECV ? "name the rank that really sends, or let that rank send"
                                      : "name the rank that really receives, or let that rank receive");
    }
    return true;
}
