/*
 * answers.c: the answer TAKEN to a message, which is half of its work if it goes alone.
 *
 * Nobody waits for the answer to a message that was copied aside (DIST_BUFFERING=eager): it travels behind the next note to that rank.
 * Else its sender waits. But where two ranks talk in turns the receiver is about to send, and then one note does for both. Whether it
 * is cannot be known, so it is learned: after some answers that were each followed by a message to the same rank, the answers wait for it.
 * One that still waits when this rank has to wait itself goes at once. While the program computes the progress thread sees to it: an
 * answer that has waited for a nap goes alone, and it takes some time until they are trusted to wait again.
 */
#include "answers.h"

#include <string.h>

#define TURNS 4           /* after so many in a row they are trusted, */
#define DISTRUST (-60)    /* and later, once it was in vain for a nap */
#define SOON 30000        /* ns between an answer and the message behind it; */
#define SOON_WOKEN 200000 /* where a note is the work of two threads of the transport's: some 60 us, not 6 */

/* ---- what travels behind a note ------------------------------------------------------------------------- */

size_t answers_bytes(const struct transport_room *room, int peer)
{
    return (size_t)room->answers.owed[peer].count * sizeof(uint64_t);
}

size_t answers_take_along(struct transport_room *room, int peer, char *note, size_t bytes)
{
    struct owed *owed = &room->answers.owed[peer];
    size_t answers = answers_bytes(room, peer);
    ((struct wire *)(void *)note)->taken = (uint8_t)owed->count;
    memcpy(note + bytes, owed->ops, answers);
    room->answers.owing -= owed->count > 0;
    owed->count = 0;
    return answers;
}

/* After that there are none behind it: a leader hands notes on to its members. */
void answers_read(struct transport_room *room, struct wire *note, size_t bytes)
{
    const char *at = (const char *)note + bytes - note->taken * sizeof(uint64_t);
    for (int i = 0; i < note->taken; i++) {
        struct wire answer = { .kind = WIRE_TAKEN };
        memcpy(&answer.op, at + (size_t)i * sizeof answer.op, sizeof answer.op);
        messages_hear(room, -1, &answer);
    }
    note->taken = 0;
}

/* ---- what is owed ------------------------------------------------------------------------------------------ */

/* The last answer is a note, which takes the others along. */
static void answers_pay_one(struct transport_room *room, int peer)
{
    struct owed *owed = &room->answers.owed[peer];
    struct wire wire = { .kind = WIRE_TAKEN, .op = owed->ops[--owed->count] };
    room->answers.owing -= owed->count == 0;
    wire_send(room, peer, &wire, WIRE_SHORT);
}

static void answers_owe(struct transport_room *room, int peer, uint64_t op)
{
    struct owed *owed = &room->answers.owed[peer];
    room->answers.owing += owed->count == 0;
    room->answers.ever++;
    owed->ops[owed->count++] = op;
    if (owed->count == WIRE_TAKEN_MOST)
        answers_pay_one(room, peer);
}

/* They waited in vain: for a moment only where the program has come to wait itself, for a nap where the progress thread sends them. */
void answers_pay(struct transport_room *room)
{
    if (room->answers.owing > 0)
        room->answers.turns = room->drivers > 0 ? 0 : DISTRUST;
    for (int peer = 0; peer < room->size && room->answers.owing > 0; peer++)
        if (room->answers.owed[peer].count > 0)
            answers_pay_one(room, peer);
}

/* ---- now, or with the next note? ----------------------------------------------------------------------------- */

/* A message leaves to a rank that was answered last: a turn. */
void answers_see_message(struct transport_room *room, int peer)
{
    if (room->answers.turns >= TURNS || room->answers.answered != 1 + peer)
        return;
    room->answers.answered = 0;
    bool soon = launch_clock_ns() - room->answers.when < (room->transport->wakes ? SOON_WOKEN : SOON);
    room->answers.turns = soon ? room->answers.turns + 1 : room->answers.turns > 0 ? 0 : room->answers.turns;
}

static bool waits_for_turn(struct transport_room *room, int peer)
{
    if (room->answers.turns >= TURNS && transport_thread_start(room))
        return true;
    if (room->answers.answered && room->answers.turns > 0)
        room->answers.turns = 0;
    room->answers.answered = 1 + peer;
    room->answers.when = launch_clock_ns();
    return false;
}

void answers_taken(struct transport_room *room, int from, const struct wire *message)
{
    struct wire wire = { .kind = WIRE_TAKEN, .op = message->op };
    bool far = from != room->rank && !near_has(room, from);
    if (far && (message->aside || waits_for_turn(room, from)))
        answers_owe(room, from, message->op);
    else
        wire_send(room, from, &wire, WIRE_SHORT);
}
