/*
 * sends.c: the sender's side: messages are posted, and their verdicts read.
 *
 * A send is posted at once where its channel has a place, and stands in its peer's queue until it is acknowledged; else it waits in a
 * second queue for a place, so messages to one peer keep their order. A send whose message is taken, but not yet copied, stands in `by_ticket`. Whoever waits
 * for one looks at its ticket; those that nobody waits for are looked at a few at a time.
 */
#include "tickets.h"
#include "wanted.h"

#define SWEPT 2 /* at a time */

static void sends_write(struct shm_state *shm, const struct dist_work *op, const void *data, size_t bytes,
                        size_t fits, struct envelope *envelope)
{
    envelope->tag = op->tag;
    envelope->origin = envelope_origin(op->site, op->ticket);
    envelope->group = (uint16_t)op->group->id;
    envelope->type = (uint8_t)op->type;
    if (bytes <= fits) {
        envelope->length = (uint8_t)bytes;
        envelope_put(envelope->data, data, bytes);
    } else {
        envelope_point(envelope, world_offset(shm->world, data), bytes);
    }
}

void sends_drop(struct shm_state *shm, struct dist_work *op)
{
    struct peer *peer = &shm->peers[op->peer];
    shm->posted_sends -= op->step != SEND_WAITING;
    queue_remove(op->step == SEND_BY_TICKET ? &shm->by_ticket
                 : op->step == SEND_POSTED  ? &peer->posted
                                            : &peer->waiting,
                 op);
}

/* It was posted, and stands in this queue. */
static inline void sends_end(struct shm_state *shm, struct op_queue *queue, struct dist_work *op,
                             enum verdict verdict)
{
    struct peer *peer = &shm->peers[op->peer];
    ticket_give_back(shm, op->ticket);
    queue_remove(queue, op);
    shm->posted_sends--;
    if (peer->staged == op->match.key)
        peer->staged = 0;
    if (op->aside && eager_forget(shm, op)) { /* its call has long returned */
        shm->open--;
        return;
    }
    if (verdict == VERDICT_REFUSED) { /* the receiver knows why, and says it */
        refusals_read(shm, op);
        op->speaker = op->peer + 1;
    }
    engine_done(shm, op, verdict == VERDICT_REFUSED ? DIST_ERR_MISMATCH : DIST_OK);
}

/* Its message was posted last: remember that number. */
static void sends_mark_posted(struct shm_state *shm, const struct peer *peer, struct dist_work *op)
{
    op->match.key = peer->sent;
    op->step = SEND_POSTED;
    shm->posted_sends++;
}

/* False: there is no ticket. */
static bool sends_post(struct shm_state *shm, struct peer *peer, struct dist_work *op)
{
    size_t bytes = bytes_of(op, op->in);
    op->ticket = ticket_take(shm);
    if (op->ticket == NO_TICKET)
        return false;
    ticket_clear(shm, op->ticket);
    struct envelope *envelope = channel_next(peer, bytes);
    size_t fits = envelope == slot_envelope(peer->out) ? SLOT_INLINE : CELL_INLINE;
    bool staged = fits == SLOT_INLINE && bytes > fits && !op->aside && wanted_stage(peer, op->in.data, bytes);
    sends_write(shm, op, staged ? peer->stage : op->in.data, bytes, fits, envelope);
    channel_publish(shm, op->peer, envelope, bytes, op->match.number);
    sends_mark_posted(shm, peer, op);
    if (staged)
        peer->staged = peer->sent;
    return true;
}

/* Its message was taken out of the channel. */
static void sends_handle_taken(struct shm_state *shm, struct peer *peer, struct dist_work *op)
{
    enum verdict verdict = channel_verdict(peer, op->match.key);
    if (verdict == VERDICT_SHARED && !engine_is_shared(shm) && !op->async)
        share_help(shm, op);
    if (verdict == VERDICT_DONE || verdict == VERDICT_REFUSED) {
        sends_end(shm, &peer->posted, op, verdict);
        return;
    }
    queue_remove(&peer->posted, op);
    op->step = SEND_BY_TICKET;
    queue_add(&shm->by_ticket, op);
}

/* Do its data stand in the channel: in the envelope, or in the stage? */
static bool sends_is_inside(const struct peer *peer, const struct dist_work *op)
{
    size_t fits = op->match.key == peer->slotted ? SLOT_INLINE : CELL_INLINE;
    return peer->staged == op->match.key || bytes_of(op, op->in) <= fits;
}

/* Is the next message to be taken wanted? Then its send is over, if it keeps nothing in the tensor. */
static bool sends_is_wanted(const struct peer *peer, uint32_t ack)
{
    const struct dist_work *op = peer->posted.first;
    return op && op->match.key == peer->known + 1 && ack >> ACK_WANT && sends_is_inside(peer, op) &&
           wanted_by(ack, wanted_word(op->tag, op->group->id, op->type, op->in.count));
}

bool sends_read_acks(struct shm_state *shm, struct peer *peer)
{
    struct dist_work *op;
    bool moved = false;
    uint64_t number = peer->known;
    uint32_t ack = channel_look(peer);
    while (number < peer->known)
        channel_fetch_to_write(peer, ++number);
    while ((op = peer->posted.first) && op->match.key <= peer->known) {
        sends_handle_taken(shm, peer, op);
        moved = true;
    }
    if (sends_is_wanted(peer, ack)) {
        sends_end(shm, &peer->posted, peer->posted.first, VERDICT_DONE);
        moved = true;
    }
    peer->stuck &= !moved;
    return moved;
}

/* True: some were posted. While any waits, SEQ_HURRY asks the receiver to notify our progress thread. */
static bool sends_fill(struct shm_state *shm, struct peer *peer)
{
    struct dist_work *op;
    bool moved = false;
    while ((op = peer->waiting.first) && !channel_is_full(peer) && sends_post(shm, peer, op)) {
        queue_remove(&peer->waiting, op);
        queue_add(&peer->posted, op);
        moved = true;
    }
    if (channel_hurry(peer, peer->waiting.first))
        shm->hurried = true;
    return moved;
}

bool sends_push(struct shm_state *shm, int dst)
{
    struct peer *peer = &shm->peers[dst];
    bool moved = (peer->posted.first || peer->waiting.first) && sends_read_acks(shm, peer);
    while (peer->waiting.first && sends_fill(shm, peer)) {
        moved = true;
        sends_read_acks(shm, peer);
    }
    return moved;
}

bool sends_look(struct shm_state *shm, struct dist_work *op)
{
    if (op->step != SEND_BY_TICKET)
        return false;
    _Atomic uint32_t *row = &shm->tickets[(size_t)shm->rank * TICKETS];
    enum verdict verdict = atomic_load_explicit(&row[op->ticket], memory_order_acquire);
    if (verdict == VERDICT_NONE)
        return false;
    sends_end(shm, &shm->by_ticket, op, verdict);
    return true;
}

/* More than are added meanwhile, so none stays for long; those that are not over go to the end. But where there is no ticket left, sends
 * wait for whichever is over first, and nobody may sleep before all were looked at. */
bool sends_sweep(struct shm_state *shm, bool light)
{
    const struct dist_work *last = shm->by_ticket.last;
    bool moved = false, all = !light && tickets_are_out(shm);
    for (int i = 0; (i < SWEPT || all) && shm->by_ticket.first; i++) {
        struct dist_work *op = shm->by_ticket.first;
        all &= op != last;
        if (sends_look(shm, op)) {
            moved = true;
            continue;
        }
        queue_remove(&shm->by_ticket, op);
        queue_add(&shm->by_ticket, op);
    }
    return moved;
}

void sends_line_up(struct shm_state *shm, struct dist_work *op)
{
    struct peer *peer = &shm->peers[op->peer];
    if (shm->by_ticket.first)
        sends_sweep(shm, true);
    if (!peer->posted.first)
        channel_look(peer); /* all may be taken: then the slot is free */
    else if (peer->sent - peer->known <= 1 || channel_is_full(peer))
        sends_read_acks(shm, peer);
    p2p_busy(shm, peer);
    if (!peer->waiting.first && !channel_is_full(peer) && sends_post(shm, peer, op)) {
        queue_add(&peer->posted, op);
        if (peer->sent - peer->known == 1)
            sends_read_acks(shm, peer);
        return;
    }
    op->step = SEND_WAITING;
    queue_add(&peer->waiting, op);
    sends_push(shm, op->peer);
}

int shm_send(void *state, struct dist_work *op)
{
    struct shm_state *shm = state;
    struct peer *peer = &shm->peers[op->peer];
    bool eager = shm->eager_bytes && bytes_of(op, op->in) <= shm->eager_bytes;
    if (engine_enter(shm, op, op->async || eager) != DIST_OK)
        return op->status;
    op->match.number = channel_draw(shm, op->peer);
    if (op->begun_quickly) {
        op->ticket = envelope_ticket(slot_envelope(peer->out));
        sends_mark_posted(shm, peer, op);
        channel_note_order(shm, op->peer, op->match.number);
        queue_add(&peer->posted, op);
        p2p_busy(shm, peer);
        return engine_start(shm, op);
    }
    op->ticket = NO_TICKET;
    if (eager)
        return eager_send(shm, op);
    sends_line_up(shm, op);
    return engine_start(shm, op);
}
