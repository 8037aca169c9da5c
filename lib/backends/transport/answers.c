/*
 * answers.c: the answer TAKEN to a message, which is half of its work if it goes alone.
 *
 * Nobody waits for the answer to a message that was copied aside (DIST_BUFFERING=eager): it travels behind the next note to that rank.
 * Else its sender waits. But where two ranks talk in turns the receiver is about to send, and then one note does for both. Whether it
 * is cannot be known, so it is learned: after some answers that were each followed by a message to the same rank, the answers wait for it.
 * One that still waits when this rank has to wait itself goes at once. While the program computes the progress thread sees to it: an
 * answer that has waited for a nap goes alone, and it takes some time until they are trusted to wait again.
 */
#include "state.h"

#define DISTRUST (-60) /* once it was in vain for a nap */

/* Deferring them did not pay. Learn anew; where the progress thread sends them (no driver), distrust that for long. */
void answers_flush(struct transport_state *state)
{
    if (state->bundles.count > state->bundles.urgent)
        state->answers.turns.kept = state->drivers > 0 ? 0 : DISTRUST;
    bundles_flush(state, BUNDLES_ALL);
}

/* ---- now, or with the next note? ----------------------------------------------------------------------------- */

/* A message leaves to a rank that was answered last: a turn. */
void answers_see_message(struct transport_state *state, int peer)
{
    if (answers_wait_for_turn(state) || state->answers.answered != 1 + peer)
        return;
    state->answers.answered = 0;
    habit_learn(&state->answers.turns, launch_clock_ns() - state->answers.when < transport_soon(state));
}

bool answers_wait_for_turn(const struct transport_state *state)
{
    return habit_is_kept(&state->answers.turns);
}

static bool answers_waits_for_turn(struct transport_state *state, int peer)
{
    if (answers_wait_for_turn(state) && transport_thread_start(state))
        return true;
    if (state->answers.answered)
        habit_learn(&state->answers.turns, false);
    state->answers.answered = 1 + peer;
    state->answers.when = launch_clock_ns();
    return false;
}

void answers_taken(struct transport_state *state, int from, const struct wire *message)
{
    struct wire wire = { .kind = WIRE_TAKEN, .op = message->op };
    bool far = from != state->rank && !near_has(state, from);
    if (!far || (!message->aside && !answers_waits_for_turn(state, from))) {
        wire_send(state, from, &wire, WIRE_ANSWER);
        return;
    }
    state->answers.ever++;
    wire_send_later(state, from, &wire, WIRE_ANSWER);
}
