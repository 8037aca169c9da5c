/*
 * near.c: notes to ranks of this machine go through its memory, and not through the transport.
 *
 *   sender    takes a free note of its own, fills it in, pushes it onto the receiver's `inbox`, notifies
 *   receiver  takes the whole inbox at once, turns it round, reads one after the other, and pushes each onto its owner's `returned`
 *   sender    has no free note left: takes back all that were returned; if none were, 16 new ones from its arena
 *
 * Who owns which word. Both lists are stacks of which everybody pushes, by compare and swap, and only their rank takes, by an exchange of
 * the whole: so no place is ever compared that was taken and came back meanwhile. A note belongs to its sender until it is pushed, then to
 * the list, then to whoever took it; its `next` is written by who owns it. Turned round, a stack gives the notes of one sender in
 * the order in which it pushed them. There is room for any number: nobody ever waits for a place.
 *
 * All notes from one rank to another go the same way, this or the transport's, so none overtakes another, and they are counted alike
 * (state.h): whoever decides that all sleep need not know which way they went.
 */
#include "state.h"
#include "../../devices/host.h"
#include "../../launch/spread.h"

#include <string.h>

#define NOTES_AT_ONCE 16

/* In the arena of its sender, who alone uses it again. */
struct near_note {
    _Atomic uint64_t next; /* in its list: a place in the world; 0: the last */
    int32_t from;
    uint32_t bytes;
    union {
        struct wire wire;
        char whole[WIRE_ONE + INSIDE_NEAR];
    };
};

bool near_has(const struct transport_state *state, int rank)
{
    const struct world *world = &state->self->world;
    return !state->flat && rank != state->rank && world_has(world, rank);
}

static struct near_note *near_note_at(const struct transport_state *state, uint64_t place)
{
    return place ? world_at(&state->self->world, place) : NULL;
}

static void near_push(const struct transport_state *state, _Atomic uint64_t *list, struct near_note *note)
{
    uint64_t place = world_offset(&state->self->world, note), first = atomic_load(list);
    do
        atomic_store_explicit(&note->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(list, &first, place));
}

/* ---- the sender ---------------------------------------------------------------------------------- */

/* The first bytes of the memory hold what was taken before it. */
static bool near_take_more(struct transport_state *state)
{
    char *memory = host_alloc(state->self, WORLD_LINE + NOTES_AT_ONCE * sizeof(struct near_note));
    if (!memory)
        return false;
    memory = world_open_view(&state->self->world, memory);
    memcpy(memory, &state->near_memory, sizeof state->near_memory);
    state->near_memory = memory;
    for (int i = 0; i < NOTES_AT_ONCE; i++) {
        struct near_note *note = (struct near_note *)(void *)(memory + WORLD_LINE) + i;
        atomic_store_explicit(&note->next, state->near_free, memory_order_relaxed);
        state->near_free = world_offset(&state->self->world, note);
    }
    return true;
}

static struct near_note *near_take_free(struct transport_state *state)
{
    if (!state->near_free)
        state->near_free = atomic_exchange(&state->ranks[state->rank].returned, 0);
    if (!state->near_free && !near_take_more(state))
        return NULL;
    struct near_note *note = near_note_at(state, state->near_free);
    state->near_free = atomic_load_explicit(&note->next, memory_order_relaxed);
    return note;
}

bool near_send(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
               const void *data, size_t inside)
{
    struct near_note *note = near_take_free(state);
    if (!note)
        return false;
    note->from = state->rank;
    note->bytes = (uint32_t)(bytes + inside);
    memcpy(note->whole, wire, bytes);
    memcpy(note->whole + bytes, data, inside);
    ((struct wire *)(void *)note->whole)->bytes = (uint16_t)note->bytes;
    near_push(state, &state->ranks[peer].inbox, note);
    return true;
}

/* ---- the receiver -------------------------------------------------------------------------------- */

static void near_take_inbox(struct transport_state *state)
{
    uint64_t place = atomic_load(&state->ranks[state->rank].inbox) /* mostly there is nothing */
                         ? atomic_exchange(&state->ranks[state->rank].inbox, 0)
                         : 0;
    while (place) {
        struct near_note *note = near_note_at(state, place);
        uint64_t next = atomic_load_explicit(&note->next, memory_order_relaxed);
        atomic_store_explicit(&note->next, state->near_taken, memory_order_relaxed);
        state->near_taken = place;
        place = next;
    }
}

int near_hear(struct transport_state *state, struct wire *wire, int *from)
{
    if (!state->near_taken)
        near_take_inbox(state);
    struct near_note *note = near_note_at(state, state->near_taken);
    if (!note)
        return 0;
    state->near_taken = atomic_load_explicit(&note->next, memory_order_relaxed);
    *from = note->from;
    int bytes = (int)note->bytes;
    memcpy(wire, note->whole, note->bytes);
    near_push(state, &state->ranks[*from].returned, note);
    return bytes;
}

/* All have left: nobody reads a note any more. */
void near_close(struct transport_state *state)
{
    while (state->near_memory) {
        char *memory = state->near_memory;
        memcpy(&state->near_memory, memory, sizeof state->near_memory);
        host_free(state->self, memory);
    }
}
