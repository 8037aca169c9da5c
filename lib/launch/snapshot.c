/*
 * snapshot.c: what a rank has written down, packed for another machine: its call, its notes, the lines of code that they name, and the members
 * of the groups. All hosts run the same library (the handshake sees to it), so structs travel as they are. Only offsets differ: a list of
 * members is unpacked into the rank's arena, which nobody uses on a machine where the rank is not.
 */
#include "control.h"

/* It begins with this. The others follow: a call site behind its number, or the members of the group of one of the operations. */
struct snapshot {
    uint32_t state, call, last_call;
    struct rank_notes notes;
};
enum snapshot_kind { SNAPSHOT_SITE, SNAPSHOT_MEMBERS };
struct snapshot_part {
    uint32_t kind, number, bytes; /* behind it */
};

static bool snapshot_add(struct buffer *to, enum snapshot_kind kind, uint32_t number, const void *bytes,
                         size_t size)
{
    struct snapshot_part part = { (uint32_t)kind, number, (uint32_t)size };
    return buffer_add(to, &part, sizeof part) && buffer_add(to, bytes, size);
}

bool snapshot_pack(const struct world *world, int rank, struct buffer *to)
{
    const struct rank_slot *slot = &world->header->slots[rank];
    struct snapshot head = { .state = atomic_load(&slot->state),
                             .call = atomic_load(&slot->call),
                             .last_call = atomic_load(&slot->last_call) };
    memcpy(&head.notes, world_notes(world, rank), sizeof head.notes);
    bool packed = buffer_add(to, &head, sizeof head);
    for (uint32_t i = 0; packed && i < WORLD_SITES; i++) {
        const struct site *site = world_site_at(world, rank, i);
        if (atomic_load(&site->used) == 2 && site->file[0] != '?')
            packed = snapshot_add(to, SNAPSHOT_SITE, i, site, sizeof *site);
    }
    uint32_t open = atomic_load(&head.notes.open_count);
    for (uint32_t i = 0; packed && i < open && i < NOTE_OPS; i++) {
        const struct note_op *op = &head.notes.open[i];
        if (op->members > 0 && op->members < world->header->bytes)
            packed = snapshot_add(to, SNAPSHOT_MEMBERS, i, world_at(world, op->members),
                                  op->size * sizeof(int32_t));
    }
    return packed;
}

static void snapshot_take_site(struct world *world, int rank, uint32_t number, const char *bytes, size_t size)
{
    struct site *sites = (struct site *)world_at(world, world->header->sites_offset);
    if (number < WORLD_SITES && size == sizeof *sites)
        memcpy(&sites[(size_t)rank * WORLD_SITES + number], bytes, size);
}

/* `end`: so many bytes of the rank's arena are taken. */
static void snapshot_take_members(struct world *world, int rank, uint32_t number, const char *bytes,
                                  size_t size, uint64_t *end)
{
    uint64_t room = world->header->arena_bytes,
             offset = world->header->arena_offset + (uint64_t)rank * room + *end;
    if (number >= NOTE_OPS || *end + size > room)
        return;
    memcpy(world_at(world, offset), bytes, size);
    world_notes(world, rank)->open[number].members = offset;
    *end += (size + 63) / 64 * 64;
}

void snapshot_unpack(struct world *world, int rank, const struct buffer *from)
{
    struct snapshot head;
    struct snapshot_part part;
    struct rank_slot *slot = &world->header->slots[rank];
    struct rank_notes *notes = world_notes(world, rank);
    uint64_t end = 0;
    if (from->used < sizeof head)
        return;
    memcpy(&head, from->bytes, sizeof head);
    memcpy(notes, &head.notes, sizeof *notes);
    for (int i = 0; i < NOTE_OPS; i++)
        notes->open[i].members = 0;
    atomic_store(&notes->log, 0); /* an offset, too, and what is there did not come */
    atomic_store(&slot->state, head.state);
    atomic_store(&slot->call, head.call);
    atomic_store(&slot->last_call, head.last_call);
    for (size_t at = sizeof head; from->used - at >= sizeof part; at += part.bytes) {
        memcpy(&part, from->bytes + at, sizeof part);
        at += sizeof part;
        if (part.bytes > from->used - at)
            return;
        if (part.kind == SNAPSHOT_SITE)
            snapshot_take_site(world, rank, part.number, from->bytes + at, part.bytes);
        else
            snapshot_take_members(world, rank, part.number, from->bytes + at, part.bytes, &end);
    }
}
