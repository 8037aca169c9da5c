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
#include "../launch/spread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Add to the sentence; what does not fit is cut off. */
void say(struct diagnosis *d, const char *format, ...)
{
    size_t used = strlen(d->sentence);
    va_list list;
    va_start(list, format);
    vsnprintf(d->sentence + used, sizeof d->sentence - used, format, list);
    va_end(list);
}

void advise(struct diagnosis *d, enum lesson lesson, const char *text)
{
    d->lesson = lesson;
    snprintf(d->advice, sizeof d->advice, "%s", text);
}

void say_wait(struct diagnosis *d, int rank, const struct note_op *op)
{
    char here[80], peer[32] = "itself";
    describe_place(d, rank, op->site, here, sizeof here);
    if (op->peer == DIST_ANY_SOURCE)
        snprintf(peer, sizeof peer, "anybody");
    else if (op->peer != rank)
        snprintf(peer, sizeof peer, "rank %d", op->peer);
    say(d, "rank %d waits to %s %s (%s)", rank, op->kind == NOTE_RECV ? "receive from" : "send to", peer,
        here);
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
            d->lesson = op->call == CALL_NEW_GROUP ? LESSON_NEW_GROUP
                        : in_collective(op)        ? LESSON_NOT_ALL
                                                   : LESSON_NOT_MET;
            say(d, "rank %d waits in %s (%s) for rank %d, which has left the job", rank, call_name(op->call),
                here, peer);
            snprintf(d->advice, sizeof d->advice,
                     "let rank %d make the matching call before it leaves, or rank %d not wait", peer, rank);
            return true;
        }
    return false;
}

const struct note_op *link_of(const struct diagnosis *d, int i)
{
    int rank = d->cycle[i], next = d->cycle[(i + 1) % d->cycle_length];
    const struct note_op *op = d->edge ? NULL : awaited_of(d, rank, next);
    return op ? op : &d->views[rank].open[0];
}

int how_many(const struct diagnosis *d, enum note_kind kind)
{
    int count = 0;
    for (int i = 0; i < d->cycle_length; i++) {
        const struct note_op *op = link_of(d, i);
        count += (in_collective(op) ? NOTE_COLLECTIVE : op->kind) == kind;
    }
    return count;
}

/* Were all of them started without waiting? Then to start them so is no advice. */
static bool all_were_started(const struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length; i++)
        if (link_of(d, i)->call == CALL_SEND || link_of(d, i)->call == CALL_RECV)
            return false;
    return true;
}

/* A collective and messages: perhaps in another order, perhaps the one meant for the other. */
static void advise_apart(struct diagnosis *d)
{
    const struct note_op *collective = link_of(d, 0);
    for (int i = 1; i < d->cycle_length && !in_collective(collective); i++)
        collective = link_of(d, i);
    d->lesson = LESSON_NOT_ALL;
    snprintf(d->advice, sizeof d->advice,
             "no message meets %s: let all members call it, and all of them before these messages, or all "
             "after them",
             call_name(collective->call));
}

/* A call that only waits has another half that could be made before; else there is none, or the rank is wrong. */
static void tell_itself(struct diagnosis *d, int rank)
{
    const struct note_op *op = &d->views[rank].open[0];
    bool receives = op->kind == NOTE_RECV;
    if (op->call == CALL_SEND || op->call == CALL_RECV) {
        say(d, "rank %d waits for itself, and cannot make the other call while it waits", rank);
        advise(d, LESSON_SENDS_FIRST,
               "start one of the two with dist_isend or dist_irecv, then wait for both");
    } else {
        say_wait(d, rank, op);
        say(d, ", and has not begun to %s", receives ? "send to itself" : "receive from itself");
        d->lesson = LESSON_NOT_MET;
        snprintf(d->advice, sizeof d->advice,
                 "name the rank that really %s, or start %s to itself before the wait",
                 receives ? "sends" : "receives", receives ? "the send" : "the receive");
    }
}

static void tell_any_itself(struct diagnosis *d, int rank)
{
    say_alternatives(d, rank);
    say(d, ", and has not begun its own other half");
    advise(d, LESSON_NOT_MET, "start the other half before the wait, or name the rank that really has it");
}

static void advise_collectives(struct diagnosis *d)
{
    const struct note_op *freed = freed_by_a_member(d);
    advise(d, LESSON_TWO_GROUPS, "let all ranks call the collectives of their groups in the same order");
    if (freed)
        snprintf(d->advice, sizeof d->advice,
                 "a member has freed group %d already: let all make the same calls in it, and free it then",
                 freed->group);
}

static void tell_cycle(struct diagnosis *d)
{
    int n = d->cycle_length, a = d->cycle[0], b = n > 1 ? d->cycle[1] : a;
    enum lesson in_turn = n > 2 ? LESSON_RING : LESSON_SENDS_FIRST;
    d->class = CAUSE_DEADLOCK;
    if (n == 2)
        say(d, "ranks %d and %d wait for each other", a, b);
    else if (n > 2)
        say(d, "%d ranks wait for each other in a cycle", n);
    for (int i = 0, told = 0; i < n && n > 1 && !told; i++)
        if ((told = waits_for_any(&d->views[d->cycle[i]]))) {
            say(d, "; ");
            say_alternatives(d, d->cycle[i]);
        }
    if (n == 1 && waits_for_any(&d->views[a]))
        tell_any_itself(d, a);
    else if (n == 1)
        tell_itself(d, a);
    else if (how_many(d, NOTE_SEND) == n)
        advise(d, in_turn,
               all_were_started(d)
                   ? "somebody must receive first: start the receives before you wait for these sends"
                   : "let odd ranks receive first, or send with dist_isend and wait afterwards");
    else if (how_many(d, NOTE_RECV) == n)
        advise(d, in_turn,
               all_were_started(d)
                   ? "somebody must send first: start the sends before you wait for these receives"
                   : "somebody must send first: let even ranks send before they receive, or use dist_irecv");
    else if (how_many(d, NOTE_COLLECTIVE) == n)
        advise_collectives(d);
    else if (how_many(d, NOTE_COLLECTIVE) > 0)
        advise_apart(d);
    else
        advise(d, in_turn,
               "let these ranks make their calls in one order, or start one of them without waiting");
}

void explain_luck(struct diagnosis *d)
{
    say(d, "this run ended only because its messages were small enough to be buffered: otherwise ");
    tell_cycle(d);
    d->class = CAUSE_LUCK;
    d->lesson = LESSON_BUFFERED;
}

void explain_race(struct diagnosis *d, int rank, int took, int other, uint32_t starves)
{
    char here[80], there[80], elsewhere[80], then[80];
    describe_place(d, rank, d->views[rank].open[0].site, here, sizeof here);
    describe_place(d, took, d->views[took].open[0].site, there, sizeof there);
    describe_place(d, other, d->views[other].open[0].site, elsewhere, sizeof elsewhere);
    d->class = CAUSE_LUCK;
    say(d,
        "it was luck which message rank %d received from anybody (%s): it was rank %d's (%s), and could have "
        "been rank %d's (%s)",
        rank, here, took, there, other, elsewhere);
    if (starves) {
        describe_place(d, rank, starves, then, sizeof then);
        say(d, "; then rank %d would have waited for that one for ever (%s)", rank, then);
    }
    advise(d, LESSON_WHICH_MESSAGE,
           starves ? "name the rank that is meant, or give its messages a tag of their own"
                   : "name the rank that is meant, or give its messages a tag of their own; if any order "
                     "is right, DIST_SHUFFLE=1 tries others");
}

/* Any one would do, and all that could make one come are gone. */
static void tell_nobody_left(struct diagnosis *d)
{
    for (int rank = 0; rank < d->size; rank++)
        if (waits_for_any(&d->views[rank])) {
            say_alternatives(d, rank);
            say(d, "; all whom these need have left the job");
            advise(d, LESSON_NOT_MET, "let one of them make the matching call before it leaves");
            return;
        }
    for (int rank = 0; rank < d->size && !d->sentence[0]; rank++)
        if (needs_only_one(&d->views[rank]))
            say_wait(d, rank, &d->views[rank].open[0]);
    say(d, "; all that could still send have left the job");
    advise(d, LESSON_NOT_MET, "count the messages: each receive needs a send of its own");
}

void find_cause(struct diagnosis *d)
{
    if (tell_near_miss(d))
        return;
    if (d->cycle_length > 0) {
        if (!tell_two_collectives(d))
            tell_cycle(d);
    } else if (!tell_left(d)) {
        d->class = CAUSE_PEER_LEFT;
        tell_nobody_left(d);
    }
}
