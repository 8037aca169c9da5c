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

#define ALTERNATIVES 3 /* of dist_wait_any: that a sentence names */

void advise(struct diagnosis *d, const char *lesson, const char *format, ...)
{
    d->lesson = lesson;
    va_list list;
    va_start(list, format);
    vsnprintf(d->advice, sizeof d->advice, format, list);
    va_end(list);
}

/* "receive from rank 2 (x.c:8)" */
static void cause_say_message(struct diagnosis *d, int rank, const struct note_op *op)
{
    why_add(&d->sentence, op->kind == NOTE_RECV ? "receive from " : "send to ");
    if (op->peer == DIST_ANY_SOURCE)
        why_add(&d->sentence, "anybody");
    else if (op->peer == rank)
        why_add(&d->sentence, "itself");
    else
        why_add(&d->sentence, "rank %d", op->peer);
    why_add(&d->sentence, " (%s)", place_of(d, rank, op->site).text);
}

void say_wait(struct diagnosis *d, int rank, const struct note_op *op)
{
    why_add(&d->sentence, "rank %d waits to ", rank);
    cause_say_message(d, rank, op);
}

/* "rank 0 waits for any of: the receive from rank 2 (x.c:8), dist_barrier (x.c:9)": a rank in dist_wait_any. */
static void cause_say_alternatives(struct diagnosis *d, int rank)
{
    int count = 0;
    why_add(&d->sentence, "rank %d waits for any of: ", rank);
    for (int i = -1; (i = next_awaited(&d->views[rank], i)) >= 0;) {
        const struct note_op *op = &d->views[rank].open[i];
        if (count++ >= ALTERNATIVES)
            continue;
        why_add(&d->sentence, count > 1 ? ", " : "");
        if (in_collective(op)) {
            why_add(&d->sentence, "%s (%s)", call_name(op->call), place_of(d, rank, op->site).text);
        } else {
            why_add(&d->sentence, "the ");
            cause_say_message(d, rank, op);
        }
    }
    if (count > ALTERNATIVES)
        why_add(&d->sentence, ", and %d more", count - ALTERNATIVES);
}

static bool cause_tell_left(struct diagnosis *d)
{
    for (int rank = 0; rank < d->size; rank++)
        for (int peer = 0; peer < d->size; peer++) {
            if (!has_left(&d->views[peer]) || !waits_for(d, rank, peer) || needs_only_one(&d->views[rank]))
                continue;
            const struct note_op *op = &d->views[rank].open[0];
            d->error = DIST_ERR_PEER_LOST;
            why_add(&d->sentence, "rank %d waits in %s (%s) for rank %d, which has left the job", rank,
                    call_name(op->call), place_of(d, rank, op->site).text, peer);
            advise(d,
                   op->call == CALL_NEW_GROUP ? LESSON_NEW_GROUP
                   : in_collective(op)        ? LESSON_NOT_ALL
                                              : LESSON_NOT_MET,
                   "let rank %d make the matching call before it leaves, or rank %d not wait", peer, rank);
            return true;
        }
    return false;
}

/* ---- a cycle ---------------------------------------------------------------------------------------- */

const struct note_op *link_of(const struct diagnosis *d, int i)
{
    int rank = d->cycle[i], next = d->cycle[(i + 1) % d->cycle_length];
    const struct note_op *op = awaited_of(d, rank, next);
    return op ? op : &d->views[rank].open[0];
}

static bool cause_is_blocking(const struct note_op *op)
{
    return op->call == CALL_SEND || op->call == CALL_RECV;
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

/* A collective and messages: perhaps in another order, perhaps the one meant for the other. */
static void cause_advise_apart(struct diagnosis *d)
{
    const struct note_op *collective = link_of(d, 0);
    for (int i = 1; i < d->cycle_length && !in_collective(collective); i++)
        collective = link_of(d, i);
    advise(d, LESSON_NOT_ALL,
           "no message meets %s: let all members call it, and all of them before these messages, or all "
           "after them",
           call_name(collective->call));
}

/* It waits for itself. A call that only waits has another half that could be made before; else there is none, or the rank is wrong. */
static void cause_tell_itself(struct diagnosis *d, int rank)
{
    const struct note_op *op = &d->views[rank].open[0];
    bool receives = op->kind == NOTE_RECV;
    if (waits_for_any(&d->views[rank])) {
        cause_say_alternatives(d, rank);
        why_add(&d->sentence, ", and has not begun its own other half");
        advise(d, LESSON_NOT_MET,
               "start the other half before the wait, or name the rank that really has it");
    } else if (cause_is_blocking(op)) {
        why_add(&d->sentence, "rank %d waits for itself, and cannot make the other call while it waits",
                rank);
        advise(d, LESSON_SENDS_FIRST,
               "start one of the two with dist_isend or dist_irecv, then wait for both");
    } else {
        say_wait(d, rank, op);
        why_add(&d->sentence, ", and has not begun to %s",
                receives ? "send to itself" : "receive from itself");
        advise(d, LESSON_NOT_MET, "name the rank that really %s, or start %s to itself before the wait",
               receives ? "sends" : "receives", receives ? "the send" : "the receive");
    }
}

/* All send, or all receive. Even and odd ranks can take turns only where both are in the cycle. */
static void cause_advise_turns(struct diagnosis *d, bool send)
{
    int n = d->cycle_length, blocking = 0, odd = 0;
    for (int i = 0; i < n; i++) {
        blocking += cause_is_blocking(link_of(d, i));
        odd += d->cycle[i] % 2;
    }
    bool both = odd > 0 && odd < n;
    const char *lesson = n > 2 ? LESSON_RING : LESSON_SENDS_FIRST;
    if (blocking == 0) /* then to start them without waiting is no advice */
        advise(d, lesson, "somebody must %s first: start the %s before you wait for these %s",
               send ? "receive" : "send", send ? "receives" : "sends", send ? "sends" : "receives");
    else if (send)
        advise(d, lesson, "let %s receive first, or send with dist_isend and wait afterwards",
               both ? "odd ranks" : "one of them");
    else
        advise(d, lesson, "somebody must send first: let %s, or use dist_irecv",
               both ? "even ranks send before they receive" : "one of them send before it receives");
}

static void cause_advise_cycle(struct diagnosis *d)
{
    int n = d->cycle_length;
    const struct note_op *freed = freed_by_a_member(d);
    if (how_many(d, NOTE_SEND) == n || how_many(d, NOTE_RECV) == n)
        cause_advise_turns(d, how_many(d, NOTE_SEND) == n);
    else if (how_many(d, NOTE_COLLECTIVE) == n && freed)
        advise(d, LESSON_TWO_GROUPS,
               "a member has freed group %d already: let all make the same calls in it, and free it then",
               freed->group);
    else if (how_many(d, NOTE_COLLECTIVE) == n)
        advise(d, LESSON_TWO_GROUPS, "let all ranks call the collectives of their groups in the same order");
    else if (how_many(d, NOTE_COLLECTIVE) > 0)
        cause_advise_apart(d);
    else
        advise(d, n > 2 ? LESSON_RING : LESSON_SENDS_FIRST,
               "let these ranks make their calls in one order, or start one of them without waiting");
}

static void cause_tell_cycle(struct diagnosis *d)
{
    int n = d->cycle_length;
    d->error = DIST_ERR_DEADLOCK;
    if (n == 1) {
        cause_tell_itself(d, d->cycle[0]);
        return;
    }
    if (n == 2)
        why_add(&d->sentence, "ranks %d and %d wait for each other", d->cycle[0], d->cycle[1]);
    else
        why_add(&d->sentence, "%d ranks wait for each other in a cycle", n);
    for (int i = 0; i < n; i++)
        if (waits_for_any(&d->views[d->cycle[i]])) {
            why_add(&d->sentence, "; ");
            cause_say_alternatives(d, d->cycle[i]);
            break;
        }
    cause_advise_cycle(d);
}

void explain_luck(struct diagnosis *d)
{
    why_add(&d->sentence,
            "this run ended only because its messages were small enough to be buffered: otherwise ");
    cause_tell_cycle(d);
    d->error = DIST_OK;
    d->lesson = LESSON_BUFFERED;
}

/* Any one would do, and all that could make one come are gone. */
static void cause_tell_nobody_left(struct diagnosis *d)
{
    d->error = DIST_ERR_PEER_LOST;
    for (int rank = 0; rank < d->size; rank++)
        if (waits_for_any(&d->views[rank])) {
            cause_say_alternatives(d, rank);
            why_add(&d->sentence, "; all whom these need have left the job");
            advise(d, LESSON_NOT_MET, "let one of them make the matching call before it leaves");
            return;
        }
    for (int rank = 0; rank < d->size && !d->sentence.text[0]; rank++)
        if (needs_only_one(&d->views[rank]))
            say_wait(d, rank, &d->views[rank].open[0]);
    why_add(&d->sentence, "; all that could still send have left the job");
    advise(d, LESSON_NOT_MET, "count the messages: each receive needs a send of its own");
}

void find_cause(struct diagnosis *d)
{
    if (tell_near_miss(d))
        return;
    if (d->cycle_length > 0 && !tell_two_collectives(d))
        cause_tell_cycle(d);
    else if (d->cycle_length == 0 && !cause_tell_left(d))
        cause_tell_nobody_left(d);
}
