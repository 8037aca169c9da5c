/*
 * snapshot.c: what a rank has written down, packed for another machine: its call, its notes, the lines of code that they name, and the members
 * of the groups. All hosts run the same library (the handshake sees to it), so structs travel as they are. Only offsets differ: a list of
 * members is unpacked into the rank's arena, which nobody uses on a machine where the rank is not.
 */
#include "control.h"

struct snapshot {
    uint32_t state, call, last_call;
    uint32_t sites; /* how many follow, each behind its number */
    uint32_t lists; /* and lists of members, behind their note's place and their length */
    struct rank_notes notes;
};

struct place {
    uint32_t number, length;
};

static int snapshot_count_of(const struct rank_notes *notes)
{
    uint32_t count = atomic_load(&notes->open_count);
    return count < NOTE_OPS ? (int)count : NOTE_OPS;
}

static bool snapshot_add_sites(const struct world *world, int rank, struct buffer *to, uint32_t *count)
{
    for (uint32_t i = 0; i < WORLD_SITES; i++) {
        const struct site *site = world_site_at(world, rank, i);
        struct place place = { i, sizeof *site };
        if (atomic_load(&site->used) != 2 || site->file[0] == '?')
            continue;
        if (!buffer_add(to, &place, sizeof place) || !buffer_add(to, site, sizeof *site))
            return false;
        ++*count;
    }
    return true;
}

static bool snapshot_add_lists(const struct world *world, const struct rank_notes *notes, struct buffer *to,
                               uint32_t *count)
{
    for (int i = 0; i < snapshot_count_of(notes); i++) {
        const struct note_op *op = &notes->open[i];
        struct place place = { (uint32_t)i, op->size };
        if (op->members == 0 || op->members >= world->header->bytes)
            continue;
        if (!buffer_add(to, &place, sizeof place) ||
            !buffer_add(to, world_at(world, op->members), op->size * sizeof(int32_t)))
            return false;
        ++*count;
    }
    return true;
}

bool snapshot_pack(const struct world *world, int rank, struct buffer *to)
{
    const struct rank_slot *slot = &world->header->slots[rank];
    struct snapshot head = { .state = atomic_load(&slot->state),
                             .call = atomic_load(&slot->call),
                             .last_call = atomic_load(&slot->last_call) };
    size_t begin = to->used;
    memcpy(&head.notes, world_notes(world, rank), sizeof head.notes);
    bool packed = buffer_add(to, &head, sizeof head) && snapshot_add_sites(world, rank, to, &head.sites) &&
                  snapshot_add_lists(world, &head.notes, to, &head.lists);
    if (packed)
        memcpy(to->bytes + begin, &head, sizeof head);
    else
        to->used = begin;
    return packed;
}

/* The next part, or NULL where there is none. */
static const char *snapshot_take(const struct buffer *from, size_t *at, size_t size)
{
    const char *bytes = from->bytes + *at;
    if (size > from->used - *at)
        return NULL;
    *at += size;
    return bytes;
}

static void snapshot_take_site(struct world *world, int rank, const struct buffer *from, size_t *at)
{
    struct place place;
    const char *head = snapshot_take(from, at, sizeof place),
               *bytes = head ? snapshot_take(from, at, sizeof(struct site)) : NULL;
    if (!bytes)
        return;
    memcpy(&place, head, sizeof place);
    if (place.number < WORLD_SITES)
        memcpy((struct site *)world_at(world, world->header->sites_offset) + (size_t)rank * WORLD_SITES +
                   place.number,
               bytes, sizeof(struct site));
}

static void snapshot_take_list(struct world *world, int rank, const struct buffer *from, size_t *at,
                               uint64_t *end)
{
    struct place place;
    const char *head = snapshot_take(from, at, sizeof place);
    if (head)
        memcpy(&place, head, sizeof place);
    size_t size = head ? place.length * sizeof(int32_t) : 0;
    const char *bytes = head ? snapshot_take(from, at, size) : NULL;
    if (!bytes || place.number >= NOTE_OPS || *end + size > world->header->arena_bytes)
        return;
    uint64_t offset = world->header->arena_offset + (uint64_t)rank * world->header->arena_bytes + *end;
    memcpy(world_at(world, offset), bytes, size);
    world_notes(world, rank)->open[place.number].members = offset;
    *end += (size + 63) / 64 * 64;
}

void snapshot_unpack(struct world *world, int rank, const struct buffer *from)
{
    struct snapshot head;
    struct rank_slot *slot = &world->header->slots[rank];
    struct rank_notes *notes = world_notes(world, rank);
    size_t at = 0;
    uint64_t end = 0;
    const char *bytes = snapshot_take(from, &at, sizeof head);
    if (!bytes)
        return;
    memcpy(&head, bytes, sizeof head);
    memcpy(notes, &head.notes, sizeof *notes);
    for (int i = 0; i < NOTE_OPS; i++)
        notes->open[i].members = 0;
    atomic_store(&notes->log, 0); /* an offset, too, and what is there did not come */
    atomic_store(&slot->state, head.state);
    atomic_store(&slot->call, head.call);
    atomic_store(&slot->last_call, head.last_call);
    for (uint32_t i = 0; i < head.sites; i++)
        snapshot_take_site(world, rank, from, &at);
    for (uint32_t i = 0; i < head.lists; i++)
        snapshot_take_list(world, rank, from, &at, &end);
}
