/*
 * sends.c: the sender's side: messages are posted, and their verdicts read.
 *
 * A send is posted at once where its channel has a place, and stands in its peer's queue until it is acknowledged; else it waits in a
 * second queue for a place, so messages to one peer keep their order. A send whose message was parked stands in `away`. Whoever waits
 * for one looks at its ticket; those that nobody waits for are looked at a few at a time.
 */
#include "channel.h"

#include <stdio.h>

#define SWEPT 2 /* at a time */

static void sends_write(struct shm_room *room, const struct dist_work *op, size_t bytes, size_t fits,
                        struct envelope *envelope)
{
    envelope->tag = op->tag;
    envelope->origin = envelope_origin(op->site, op->ticket);
    envelope->group = (uint16_t)op->group->id;
    envelope->type = (uint8_t)op->type;
    if (bytes <= fits) {
        envelope->length = (uint8_t)bytes;
        envelope_put(envelope->text, op->in.data, bytes);
    } else {
        envelope_point(envelope, world_offset(room->world, op->in.data), bytes);
    }
}

/* The next free ticket; NO_TICKET: all are with messages that are parked. */
static uint32_t sends_take_ticket(struct shm_room *room)
{
    if (room->free_ticket_count > 0)
        return room->free_tickets[--room->free_ticket_count];
    return room->tickets_used < TICKETS ? room->tickets_used++ : NO_TICKET;
}

static void sends_clear_ticket(struct shm_room *room, uint32_t ticket)
{
    atomic_store_explicit(&room->tickets[(size_t)room->rank * TICKETS + ticket], VERDICT_NONE,
                          memory_order_relaxed);
}

void sends_spare(struct shm_room *room)
{
    room->spare = sends_take_ticket(room);
    if (room->spare != NO_TICKET)
        sends_clear_ticket(room, room->spare);
}

static void sends_give_ticket_back(struct shm_room *room, uint32_t ticket)
{
    if (ticket != NO_TICKET)
        room->free_tickets[room->free_ticket_count++] = ticket;
    if (room->spare == NO_TICKET)
        sends_spare(room);
}

static struct queue *sends_queue(struct shm_room *room, const struct dist_work *op)
{
    struct peer *peer = &room->peers[op->peer];
    return op->step == SEND_PARKED ? &room->away : op->step == SEND_POSTED ? &peer->posted : &peer->waiting;
}

void sends_drop(struct shm_room *room, struct dist_work *op)
{
    queue_remove(sends_queue(room, op), op);
}

static void sends_end(struct shm_room *room, struct dist_work *op, enum verdict verdict)
{
    sends_give_ticket_back(room, op->ticket);
    sends_drop(room, op);
    if (eager_forget(room, op)) { /* its call has long returned */
        room->open--;
        return;
    }
    if (verdict == VERDICT_REFUSED) { /* the receiver knows why, and says it */
        snprintf(op->why, sizeof op->why, "%s", world_notes(room->world, op->peer)->refusal);
        op->speaker = op->peer + 1;
    }
    engine_done(room, op, verdict == VERDICT_REFUSED ? DIST_ERR_MISMATCH : DIST_OK);
}

/* False: there is no ticket. */
static bool sends_post(struct shm_room *room, struct peer *peer, struct dist_work *op)
{
    size_t bytes = bytes_of(op, op->in);
    op->ticket = sends_take_ticket(room);
    if (op->ticket == NO_TICKET)
        return false;
    sends_clear_ticket(room, op->ticket);
    struct envelope *envelope = channel_next(peer, bytes);
    sends_write(room, op, bytes, envelope == slot_envelope(peer->out) ? SLOT_TEXT : CELL_TEXT, envelope);
    channel_post(room, op->peer, envelope, bytes, op->match.number);
    op->match.key = peer->sent;
    op->step = SEND_POSTED;
    return true;
}

/* Its message was taken out of the channel. */
static void sends_was_taken(struct shm_room *room, struct peer *peer, struct dist_work *op)
{
    enum verdict verdict = channel_verdict(peer, op->match.key);
    if (verdict == VERDICT_SHARED && !engine_is_shared(room) && !op->async)
        share_help(room, op);
    if (verdict == VERDICT_DONE || verdict == VERDICT_REFUSED) {
        sends_end(room, op, verdict);
        return;
    }
    sends_drop(room, op);
    op->step = SEND_PARKED;
    queue_add(&room->away, op);
}

bool sends_settle(struct shm_room *room, struct peer *peer)
{
    struct dist_work *op;
    bool moved = false;
    channel_look(peer);
    while ((op = peer->posted.first) && op->match.key <= peer->known) {
        sends_was_taken(room, peer, op);
        moved = true;
    }
    peer->stuck &= !moved;
    return moved;
}

/* True: some were posted. While any waits, that a place is free is to be told. */
static bool sends_fill(struct shm_room *room, struct peer *peer)
{
    struct dist_work *op;
    bool moved = false;
    while ((op = peer->waiting.first) && !channel_is_full(peer) && sends_post(room, peer, op)) {
        queue_remove(&peer->waiting, op);
        queue_add(&peer->posted, op);
        moved = true;
    }
    if (channel_hurry(peer, peer->waiting.first))
        room->hurried = true;
    return moved;
}

bool sends_push(struct shm_room *room, int number)
{
    struct peer *peer = &room->peers[number];
    bool moved = (peer->posted.first || peer->waiting.first) && sends_settle(room, peer);
    while (peer->waiting.first && sends_fill(room, peer)) {
        moved = true;
        sends_settle(room, peer);
    }
    return moved;
}

bool sends_look(struct shm_room *room, struct dist_work *op)
{
    if (op->step != SEND_PARKED)
        return false;
    _Atomic uint32_t *row = &room->tickets[(size_t)room->rank * TICKETS];
    enum verdict verdict = atomic_load_explicit(&row[op->ticket], memory_order_acquire);
    if (verdict == VERDICT_NONE)
        return false;
    sends_end(room, op, verdict);
    return true;
}

/* More than are added meanwhile, so none stays for long; those that are not over go to the end. */
bool sends_sweep(struct shm_room *room)
{
    bool moved = false;
    for (int i = 0; i < SWEPT && room->away.first; i++) {
        struct dist_work *op = room->away.first;
        if (sends_look(room, op)) {
            moved = true;
            continue;
        }
        queue_remove(&room->away, op);
        queue_add(&room->away, op);
    }
    return moved;
}

void sends_line_up(struct shm_room *room, struct dist_work *op)
{
    struct peer *peer = &room->peers[op->peer];
    sends_sweep(room);
    if (peer->sent - peer->known <= 1 || channel_is_full(peer))
        sends_settle(room, peer); /* all may be taken: then the slot is free */
    p2p_busy(room, op->peer);
    if (!peer->waiting.first && !channel_is_full(peer) && sends_post(room, peer, op)) {
        queue_add(&peer->posted, op);
        return;
    }
    op->step = SEND_WAITING;
    queue_add(&peer->waiting, op);
    sends_push(room, op->peer);
}

int shm_send(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    struct peer *peer = &room->peers[op->peer];
    bool eager = room->eager_bytes && bytes_of(op, op->in) <= room->eager_bytes;
    if (engine_enter(room, op, op->async || eager) != DIST_OK)
        return op->status;
    op->match.number = channel_draw(room, op->peer);
    if (op->begun_quickly) {
        op->ticket = envelope_ticket(slot_envelope(peer->out));
        op->match.key = peer->sent;
        op->step = SEND_POSTED;
        channel_stamp(room, op->peer, op->match.number);
        queue_add(&peer->posted, op);
        p2p_busy(room, op->peer);
        return engine_start(room, op);
    }
    op->ticket = NO_TICKET;
    if (eager)
        return eager_send(room, op);
    sends_line_up(room, op);
    return engine_start(room, op);
}
