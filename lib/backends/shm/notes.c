/* notes.c: what this rank waits for, noted before it sleeps (launch/note.h). */
#include "channel.h"
#include "../common/notes.h"

static void notes_work(struct shm_state *shm, const struct dist_work *op, bool arrived)
{
    const struct shm_group *g = op->group->state;
    notes_add(notes_of(shm), op, arrived, op->ticket ? op->ticket : g->seq + 1);
}

static void notes_envelope(struct shm_state *shm, int src, const struct envelope *envelope)
{
    notes_add_message(notes_of(shm), (struct note_op){ .type = envelope->type,
                                                       .group = envelope->group,
                                                       .site = (uint16_t)envelope_site(envelope),
                                                       .peer = src,
                                                       .tag = envelope->tag,
                                                       .count = (int64_t)(envelope_bytes(envelope) /
                                                                          dtype_size(envelope->type)) });
}

/* Has the engine written this rank's contribution, or is it about to? Who has claimed it writes `step` without the lock. */
static bool notes_has_arrived(const struct dist_work *op)
{
    return op->claimed || op->step > 0;
}

/* Of a group's collectives only the first is under way; those further back count if dist_wait_any would also do with them. */
static bool notes_is_open(const struct op_queue *queue, const struct dist_work *op)
{
    return op->p2p ? !op->aside
                   : op == queue->first || atomic_load_explicit(&op->among, memory_order_relaxed);
}

/* The open ones of a queue. Of many only the first count: more than a report can name. */
static void notes_note_queue(struct shm_state *shm, const struct op_queue *queue,
                             const struct dist_work *waited)
{
    int looks = 2 * NOTE_OPS;
    for (const struct dist_work *op = queue->first; op && looks > 0; op = op->next, looks--)
        if (op != waited && notes_is_open(queue, op))
            notes_work(shm, op, !op->p2p && notes_has_arrived(op));
}

static void notes_messages(struct shm_state *shm, const struct dist_work *waited)
{
    int looks = 2 * NOTE_OPS;
    for (struct dist_work *op = shm->by_ticket.first; op && sends_look(shm, op); op = shm->by_ticket.first)
        ;
    notes_note_queue(shm, &shm->by_ticket, waited);
    for (const struct peer *peer = shm->busy; peer; peer = peer->next) {
        notes_note_queue(shm, &peer->posted, waited);
        notes_note_queue(shm, &peer->waiting, waited);
    }
    for (const struct match *at = shm->posted.first; at && looks > 0; at = at->next, looks--) {
        const struct dist_work *op = match_receive(at);
        if (op != waited)
            notes_work(shm, op, false);
    }
}

/* Collectives first: of a member whose notes lack one, others would think that it has not come. */
void notes_write(struct shm_state *shm, const struct dist_work *waited, bool direct)
{
    int looks = NOTE_OPS;
    engine_lock(shm);
    notes_clear(notes_of(shm));
    if (waited)
        notes_work(shm, waited, direct || notes_has_arrived(waited));
    for (const struct shm_group *g = shm->groups; g; g = g->next)
        notes_note_queue(shm, &g->queue, waited);
    notes_messages(shm, waited);
    for (const struct match *at = shm->unexpected.first; at && looks > 0; at = at->next, looks--)
        notes_envelope(shm, ((const struct unexpected *)at)->src, &((const struct unexpected *)at)->envelope);
    for (int src = channel_next_caller(shm, 0); src < shm->size; src = channel_next_caller(shm, src + 1))
        if (channel_peek(&shm->peers[src]))
            notes_envelope(shm, src, channel_peek(&shm->peers[src]));
    engine_unlock(shm);
}
