/*
 * bundles.c: notes to a rank of another machine travel together.
 *
 * A note of few bytes is a transport's work of some microseconds, on either side, and of its socket's. So what one thread says to a rank while
 * it has the state locked is put into a bundle, which leaves when that thread has done, or is full. Who starts one op after the other mostly
 * starts more: the first note leaves at once, and those behind it wait until the program waits, asks, or has gone on for a moment; if it
 * computes, the progress thread lets them go at its next look, within a millisecond: to wake it for them would only part them. Answers may
 * hope for a message to travel with (answers.c): those wait until the rank waits.
 *
 * A note is counted when it comes into the bundle. Whoever goes to sleep lets all go before. (tests/model/bundles.c)
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#define BUNDLE_USUAL 512       /* bytes, at first */
#define ANSWERS_MOST 16        /* that wait: their messages may lie there as copies */
#define FOLLOWS_SOON_NS 100000 /* after a note another one may be the next of many */

bool bundles_open(struct transport_state *state, int size)
{
    struct bundles *all = &state->bundles;
    all->to = calloc((size_t)size, sizeof *all->to + sizeof *all->open);
    all->open = (int *)(void *)(all->to + size);
    return all->to;
}

void bundles_close(struct transport_state *state)
{
    struct bundles *all = &state->bundles;
    for (int peer = 0; all->to && peer < state->size; peer++)
        free(all->to[peer].notes);
    free(all->to);
}

static bool bundles_make_place(struct bundle *bundle, size_t bytes)
{
    size_t has = bundle->notes ? bundle->notes->size : 0, needed = bundle->bytes + bytes,
           size = needed > 2 * has ? needed : 2 * has;
    if (needed <= has)
        return true;
    size = size < BUNDLE_USUAL ? BUNDLE_USUAL : size;
    struct flight *larger = realloc(bundle->notes, sizeof *larger + size);
    if (!larger)
        return false;
    *larger = (struct flight){ .size = size };
    bundle->notes = larger;
    return true;
}

/* Who has let it go takes it out of the open ones. */
static void bundles_leave(struct transport_state *state, int peer)
{
    struct bundle *bundle = &state->bundles.to[peer];
    struct flight *notes = bundle->notes;
    size_t bytes = bundle->bytes;
    state->bundles.urgent -= bundle->urgent;
    *bundle = (struct bundle){ .notes = notes, .left = launch_clock_ns(), .waits = state->waits };
    transport_request request = notes->request =
        state->transport->send(notes->note, bytes, peer, TRANSPORT_NOTES);
    if (request != 0 && request != TRANSPORT_SENT) {
        bundle->notes = NULL; /* else the transport has done with it at once, and it serves again */
        wire_keep_notes(state, notes);
    }
    if (request == 0)
        wire_broken(state);
    wire_announce(state, peer);
}

/* One has just left, and the rank has not waited since; or it is about to wait, as it mostly is. */
static bool bundles_more_may_follow(const struct transport_state *state, const struct bundle *bundle)
{
    return habit_is_kept(&state->bundles.waits) ||
           (bundle->waits == state->waits && launch_clock_ns() - bundle->left < FOLLOWS_SOON_NS);
}

void bundles_see_wait(struct transport_state *state)
{
    struct bundles *bundles = &state->bundles;
    if (bundles->began)
        habit_learn(&bundles->waits, launch_clock_ns() - bundles->began < transport_soon(state));
    bundles->began = 0;
}

void bundles_flush(struct transport_state *state, enum which_bundles which)
{
    struct bundles *bundles = &state->bundles;
    int kept = 0;
    if (which != BUNDLES_ALL && bundles->urgent == 0)
        return;
    if (which == BUNDLES_FIRST && bundles->began == 0) /* the program starts ops; or else it computes */
        bundles->began = launch_clock_ns();
    else if (which != BUNDLES_FIRST && bundles->urgent > 0 && state->drivers == 0)
        habit_learn(&bundles->waits, false);
    for (int i = 0; i < bundles->count; i++) {
        int peer = bundles->open[i];
        const struct bundle *bundle = &bundles->to[peer];
        bool stays = (which != BUNDLES_ALL && !bundle->urgent) ||
                     (which == BUNDLES_FIRST && bundles_more_may_follow(state, bundle));
        if (state->failed || stays)
            bundles->open[kept++] = peer;
        else
            bundles_leave(state, peer);
    }
    bundles->count = kept;
}

static void bundles_let_one(struct transport_state *state, int peer)
{
    struct bundles *all = &state->bundles;
    int i = 0;
    while (all->open[i] != peer)
        i++;
    all->open[i] = all->open[--all->count];
    bundles_leave(state, peer);
}

bool bundles_add(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
                 const void *data, size_t inside, bool waits)
{
    struct bundle *bundle = &state->bundles.to[peer];
    size_t whole = wire_whole(bytes + inside);
    if (state->failed)
        return true;
    if (bundle->bytes + whole > TRANSPORT_NOTE)
        bundles_let_one(state, peer);
    if (!bundles_make_place(bundle, whole))
        return false;
    struct wire *note = (struct wire *)(void *)(bundle->notes->note + bundle->bytes);
    memcpy(note, wire, bytes);
    memcpy((char *)note + bytes, data, inside);
    note->bytes = (uint16_t)whole;
    if (bundle->bytes == 0)
        state->bundles.open[state->bundles.count++] = peer;
    bundle->bytes += whole;
    state->bundles.urgent += !waits && !bundle->urgent;
    bundle->urgent |= !waits;
    if (!bundle->urgent && bundle->bytes >= ANSWERS_MOST * whole)
        bundles_let_one(state, peer);
    return true;
}
