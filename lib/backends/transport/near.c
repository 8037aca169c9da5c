/*
 * near.c: notes to ranks of this machine go through its memory, and not through the transport.
 *
 *   sender    takes a free note of its own, fills it in, pushes it onto the receiver's `inbox`, rings
 *   receiver  takes the whole inbox at once, turns it round, reads one after the other, and pushes each onto its owner's `returned`
 *   sender    has no free note left: takes back all that were returned; if none were, 16 new ones from its arena
 *
 * Who owns which word. Both lists are stacks of which everybody pushes, by compare and swap, and only their rank takes, by an exchange of
 * the whole: so no place is ever compared that was taken and came back meanwhile. A note belongs to its sender until it is pushed, then to
 * the list, then to whoever took it; its `next` is written by who owns it. Turned round, a stack gives the notes of one sender in
 * the order in which it pushed them. There is room for any number: nobody ever waits for a place.
 *
 * All notes from one rank to another go the same way, this or the transport's, so none overtakes another, and they are counted alike
 * (room.h): whoever decides that all sleep need not know which way they went.
 */
#include "room.h"
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

bool near_has(const struct transport_room *room, int rank)
{
    const struct world *world = &room->self->world;
    return !room->flat && rank != room->rank && world_has(world, rank);
}

int near_node(const struct transport_room *room, int rank)
{
    return room->self->world.header->slots[rank].node;
}

static struct near_note *near_note_at(const struct transport_room *room, uint64_t place)
{
    return place ? world_at(&room->self->world, place) : NULL;
}

static void near_push(const struct transport_room *room, _Atomic uint64_t *list, struct near_note *note)
{
    uint64_t place = world_offset(&room->self->world, note), first = atomic_load(list);
    do
        atomic_store_explicit(&note->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(list, &first, place));
}

/* ---- the sender ---------------------------------------------------------------------------------- */

/* The first bytes of the memory hold what was taken before it. */
static bool near_take_more(struct transport_room *room)
{
    char *memory = host_alloc(room->self, WORLD_LINE + NOTES_AT_ONCE * sizeof(struct near_note));
    if (!memory)
        return false;
    memory = world_open_view(&room->self->world, memory);
    memcpy(memory, &room->near_memory, sizeof room->near_memory);
    room->near_memory = memory;
    for (int i = 0; i < NOTES_AT_ONCE; i++) {
        struct near_note *note = (struct near_note *)(void *)(memory + WORLD_LINE) + i;
        atomic_store_explicit(&note->next, room->near_free, memory_order_relaxed);
        room->near_free = world_offset(&room->self->world, note);
    }
    return true;
}

static struct near_note *near_take_free(struct transport_room *room)
{
    if (!room->near_free)
        room->near_free = atomic_exchange(&room->ranks[room->rank].returned, 0);
    if (!room->near_free && !near_take_more(room))
        return NULL;
    struct near_note *note = near_note_at(room, room->near_free);
    room->near_free = atomic_load_explicit(&note->next, memory_order_relaxed);
    return note;
}

bool near_send(struct transport_room *room, int peer, const struct wire *wire, size_t bytes, const void *data,
               size_t inside)
{
    struct near_note *note = near_take_free(room);
    if (!note)
        return false;
    note->from = room->rank;
    note->bytes = (uint32_t)(bytes + inside);
    memcpy(note->whole, wire, bytes);
    memcpy(note->whole + bytes, data, inside);
    ((struct wire *)(void *)note->whole)->bytes = (uint16_t)note->bytes;
    near_push(room, &room->ranks[peer].inbox, note);
    return true;
}

/* ---- the receiver -------------------------------------------------------------------------------- */

static void near_take_inbox(struct transport_room *room)
{
    uint64_t place = atomic_load(&room->ranks[room->rank].inbox) /* mostly there is nothing */
                         ? atomic_exchange(&room->ranks[room->rank].inbox, 0)
                         : 0;
    while (place) {
        struct near_note *note = near_note_at(room, place);
        uint64_t next = atomic_load_explicit(&note->next, memory_order_relaxed);
        atomic_store_explicit(&note->next, room->near_taken, memory_order_relaxed);
        room->near_taken = place;
        place = next;
    }
}

int near_hear(struct transport_room *room, struct wire *wire, int *from)
{
    if (!room->near_taken)
        near_take_inbox(room);
    struct near_note *note = near_note_at(room, room->near_taken);
    if (!note)
        return 0;
    room->near_taken = atomic_load_explicit(&note->next, memory_order_relaxed);
    *from = note->from;
    int bytes = (int)note->bytes;
    memcpy(wire, note->whole, note->bytes);
    near_push(room, &room->ranks[*from].returned, note);
    return bytes;
}

/* All have left: nobody reads a note any more. */
void near_close(struct transport_room *room)
{
    while (room->near_memory) {
        char *memory = room->near_memory;
        memcpy(&room->near_memory, memory, sizeof room->near_memory);
        host_free(room->self, memory);
    }
}
