/*
 * near.c: two calls that were meant to meet, and do not: a send and a receive, but for one argument, a tag, a group or a rank; or two
 * collectives, one in the world and one in a group, or two of one group; and one of a group that a member has freed.
 */
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
    return alike && (itself || near_out_of_reach(&d->views[own->peer])) ? NEAR_WAITERS_RANK : NEAR_NOT;
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

static void near_consider(const struct diagnosis *d, struct near_miss *best, struct near_miss near)
{
    near.distance = near_distance(d, &near);
    if (near.distance != NEAR_NOT && near_may_be_meant(d, &near) &&
        (best->distance == NEAR_NOT || near.distance < best->distance))
        *best = near;
}

/* All that is like one thing that `waiter` waits for. */
static void near_consider_all(const struct diagnosis *d, struct near_miss *best, int waiter,
                              const struct note_op *own)
{
    const struct view *view = &d->views[waiter];
    int wanted = own->kind == NOTE_RECV ? NOTE_SEND : NOTE_RECV;
    for (int other = 0; other < d->size; other++)
        for (int i = 0; i < d->views[other].count; i++)
            if (d->views[other].open[i].kind == wanted)
                near_consider(d, best, (struct near_miss){ waiter, own, other, &d->views[other].open[i], 0 });
    for (int i = 0; i < view->count && wanted == NOTE_SEND; i++)
        if (view->open[i].kind == NOTE_UNEXPECTED)
            near_consider(d, best, (struct near_miss){ waiter, own, view->open[i].peer, &view->open[i], 0 });
}

bool tell_near_miss(struct diagnosis *d)
{
    struct near_miss near = { 0 };
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
        say(d, " with tag %d; rank %d %s it with tag %d (%s)", own->tag, near.other, does, op->tag,
            there.text);
        advise(d, LESSON_NOT_MET,
               "give both calls the same tag; or, if both ranks make both calls, in the same order");
    } else if (near.distance == NEAR_GROUP) {
        say(d, "; rank %d %s it on another group (%s)", near.other, does, there.text);
        advise(d, LESSON_TWO_GROUPS,
               "give both calls the same group; or, if both ranks make both calls, in the same order");
    } else if (near.distance == NEAR_OTHERS_RANK) {
        say(d, "; rank %d %s rank %d instead (%s)", near.other, does, op->peer, there.text);
        advise(d, LESSON_NOT_MET, "let both calls name each other's rank");
    } else {
        say(d, "; the nearest unmatched call is rank %d's, which %s it (%s)", near.other, does, there.text);
        advise(d, LESSON_NOT_MET,
               own->kind == NOTE_RECV ? "name the rank that really sends, or let that rank send"
                                      : "name the rank that really receives, or let that rank receive");
    }
    return true;
}

/* ---- two collectives that never meet ---------------------------------------------------------------- */

/* Do two of the cycle make one collective, but one in the world and one in a group? */
static bool near_tell_two_groups(struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length && how_many(d, NOTE_COLLECTIVE) == d->cycle_length; i++) {
        int next = (i + 1) % d->cycle_length, ranks[] = { d->cycle[i], d->cycle[next] };
        const struct note_op *links[] = { link_of(d, i), link_of(d, next) };
        int far = links[0]->group == 0; /* which of the two is in the group */
        const struct note_op *in = links[far], *out = links[!far];
        bool by_messages = in->kind != NOTE_COLLECTIVE || out->kind != NOTE_COLLECTIVE;
        if (in->group == 0 || out->group != 0 || in->call != out->call ||
            (!by_messages && (in->type != out->type || in->count != out->count)))
            continue;
        d->error = DIST_ERR_MISMATCH;
        say(d, "rank %d calls %s in group %d (%s), rank %d in the world (%s)", ranks[far],
            call_name(in->call), in->group, place_of(d, ranks[far], in->site).text, ranks[!far],
            place_of(d, ranks[!far], out->site).text);
        advise(d, LESSON_TWO_GROUPS,
               "give both calls the same group; or, if all make both calls, in the same order");
        return true;
    }
    return false;
}

/* Has it begun that collective, too? It is not through with it: no member of a collective gets past one that has not come. */
static bool near_has_begun(const struct view *view, const struct note_op *collective)
{
    for (int i = 0; i < view->count; i++)
        if (in_collective(&view->open[i]) && view->open[i].group == collective->group &&
            view->open[i].call == collective->call)
            return true;
    return false;
}

static bool near_is_earlier(const struct note_op *a, const struct note_op *b)
{
    return a->kind == NOTE_COLLECTIVE ? a->seq < b->seq : a->tag > b->tag;
}

/* The first collective of a group that `one` has begun and `other` has not, of those that are made of messages, or are not. NULL: none. */
static const struct note_op *near_first_alone(const struct view *one, const struct view *other,
                                              uint16_t group, bool messages)
{
    const struct note_op *first = NULL;
    for (int i = 0; i < one->count; i++) {
        const struct note_op *op = &one->open[i];
        if (in_collective(op) && op->group == group && (op->kind != NOTE_COLLECTIVE) == messages &&
            !near_has_begun(other, op) && (!first || near_is_earlier(op, first)))
            first = op;
    }
    return first;
}

/* What it has begun instead: of the kind in which it waits; or, where it waits somewhere else by now, of any. */
static const struct note_op *near_instead(const struct view *other, const struct view *one, uint16_t group,
                                          const struct note_op *link)
{
    bool same = in_collective(link) && link->group == group;
    const struct note_op *first = near_first_alone(other, one, group, !same || link->kind != NOTE_COLLECTIVE);
    return first || same ? first : near_first_alone(other, one, group, false);
}

/* Does one of the cycle wait in a collective for another that has begun a different one of that group? Where one is made of messages
 * and the other is not they never meet, and no backend tells. */
static bool near_tell_two_calls(struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length; i++) {
        int next = (i + 1) % d->cycle_length, one = d->cycle[i], other = d->cycle[next];
        const struct note_op *a = link_of(d, i), *b = link_of(d, next);
        if (!in_collective(a))
            continue;
        b = near_instead(&d->views[other], &d->views[one], a->group, b);
        a = near_first_alone(&d->views[one], &d->views[other], a->group, a->kind != NOTE_COLLECTIVE);
        if (!a || !b)
            continue;
        d->error = DIST_ERR_MISMATCH;
        say(d, "rank %d calls %s (%s), rank %d calls %s (%s)", one, call_name(a->call),
            place_of(d, one, a->site).text, other, call_name(b->call), place_of(d, other, b->site).text);
        advise(d, LESSON_NOT_ALL, "let all members of a group make the same calls, in the same order");
        return true;
    }
    return false;
}

bool tell_two_collectives(struct diagnosis *d)
{
    return near_tell_two_groups(d) || near_tell_two_calls(d);
}

/* ---- a freed group ------------------------------------------------------------------------------- */

static bool near_has_freed(const struct world *world, int rank, uint16_t group)
{
    const struct freed_note *freed = &world_notes(world, rank)->freed;
    uint32_t count = atomic_load(&freed->count);
    for (uint32_t i = 0; i < count && i < NOTE_FREED; i++)
        if (freed->groups[i] == group)
            return true;
    return false;
}

/* (A number comes back after 65535 others: that of a group freed lately is of no other.) */
const struct note_op *freed_by_a_member(const struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length; i++) {
        const struct note_op *op = link_of(d, i);
        for (int rank = 0; rank < d->size && in_collective(op) && op->group != 0; rank++)
            if (near_has_freed(d->world, rank, op->group))
                return op;
    }
    return NULL;
}
