/* notes.c: what this rank waits for, pinned to its door before it sleeps (launch/note.h). */
#include "channel.h"
#include "../common/notes.h"

static void notes_work(struct shm_room *room, const struct dist_work *op, bool arrived)
{
    const struct shm_group *g = op->group->room;
    notes_add(notes_of(room), op, arrived, arrived ? g->seq : g->seq + 1,
              g == &room->world_group ? 0 : board_members_offset(room, g));
}

static void notes_envelope(struct shm_room *room, int src, const struct envelope *envelope)
{
    notes_add_message(notes_of(room), (struct note_op){ .type = envelope->type,
                                                        .group = envelope->group,
                                                        .site = (uint16_t)envelope_site(envelope),
                                                        .peer = src,
                                                        .tag = envelope->tag,
                                                        .count = (int64_t)(envelope_bytes(envelope) /
                                                                           dtype_size(envelope->type)) });
}

/* Has the engine pinned this collective's card, or is it about to? Who has claimed it writes `step` without the lock. */
static bool notes_has_arrived(const struct dist_work *op)
{
    return op->claimed || op->step > 0;
}

/* The open ones of a queue. Of many only the first count: more than a report can name. */
static void notes_note_queue(struct shm_room *room, const struct queue *queue, const struct dist_work *waited)
{
    int looks = 2 * NOTE_OPS;
    for (const struct dist_work *op = queue->first; op && looks > 0; op = op->next, looks--)
        if (op != waited && !op->aside)
            notes_work(room, op, false);
}

static void notes_note_messages(struct shm_room *room, const struct dist_work *waited)
{
    int looks = 2 * NOTE_OPS;
    for (struct dist_work *op = room->away.first; op && sends_look(room, op); op = room->away.first)
        ;
    notes_note_queue(room, &room->away, waited);
    for (const struct peer *peer = room->busy; peer; peer = peer->next) {
        notes_note_queue(room, &peer->posted, waited);
        notes_note_queue(room, &peer->waiting, waited);
    }
    for (const struct match *at = room->posted.first; at && looks > 0; at = at->next, looks--) {
        const struct dist_work *op = match_receive(at);
        if (op != waited)
            notes_work(room, op, false);
    }
}

/* The first of a group's, which is under way, and those further back that dist_wait_any would also do with. */
static void notes_note_collectives(struct shm_room *room, const struct shm_group *g,
                                   const struct dist_work *waited)
{
    int looks = 2 * NOTE_OPS;
    for (const struct dist_work *op = g->queue.first; op && looks > 0; op = op->next, looks--)
        if (op != waited && (op == g->queue.first || atomic_load_explicit(&op->among, memory_order_relaxed)))
            notes_work(room, op, notes_has_arrived(op));
}

void notes_write(struct shm_room *room, const struct dist_work *waited, bool direct)
{
    int looks = NOTE_OPS;
    engine_lock(room);
    notes_clear(notes_of(room));
    if (waited)
        notes_work(room, waited, direct || notes_has_arrived(waited));
    notes_note_messages(room, waited);
    for (const struct shm_group *g = room->groups; g; g = g->next)
        notes_note_collectives(room, g, waited);
    for (const struct match *at = room->unexpected.first; at && looks > 0; at = at->next, looks--)
        notes_envelope(room, ((const struct unexpected *)at)->src,
                       &((const struct unexpected *)at)->envelope);
    for (int src = channel_next_caller(room, 0); src < room->size; src = channel_next_caller(room, src + 1))
        if (channel_peek(&room->peers[src]))
            notes_envelope(room, src, channel_peek(&room->peers[src]));
    engine_unlock(room);
}
