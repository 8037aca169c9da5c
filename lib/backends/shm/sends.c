/*
 * sends.c: the sender's side: messages are posted, and their verdicts read.
 *
 * A send is posted at once where its channel has a place, and stands in its peer's queue until it is acknowledged; else it waits in a
 * second queue for a place, so messages to one peer keep their order. A send whose message was parked stands in `away`. Whoever waits
 * for one looks at its ticket; those that nobody waits for are looked at a few at a time.
 */
#include "channel.h"
#include "../../devices/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEPT 2           /* at a time */
#define EAGER_PAGE 4096   /* an eager message up to this long is copied into memory that is used again */
#define EAGER_YIELDS 200  /* for a place, before one is copied aside */

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
    if (sends_forget(room, op)) { /* its call has long returned */
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

/* Read the acknowledgement. */
static bool sends_settle(struct shm_room *room, struct peer *peer)
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

/* After this an eager copy may be gone. */
static void sends_line_up(struct shm_room *room, struct dist_work *op)
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

/* ---- eager messages -------------------------------------------------------------------- */

/* Somewhere to copy this many bytes; NULL: there is no memory left. */
static struct eager *sends_copy(struct shm_room *room, size_t bytes)
{
    struct eager **kept = &room->eager_kept[bytes > CELL_TEXT], *eager = bytes <= EAGER_PAGE ? *kept : NULL;
    if (eager) {
        *kept = eager->next;
        return eager;
    }
    eager = calloc(1, sizeof *eager);
    if (eager && bytes > CELL_TEXT &&
        !(eager->page = host_alloc(room->self, bytes > EAGER_PAGE ? bytes : EAGER_PAGE))) {
        free(eager);
        eager = NULL;
    }
    return eager;
}

bool sends_forget(struct shm_room *room, struct dist_work *op)
{
    if (!op->aside)
        return false;
    struct eager *eager = (struct eager *)op;
    atomic_fetch_sub(&op->group->untaken, 1);
    if (bytes_of(op, op->in) > EAGER_PAGE) {
        host_free(room->self, eager->page);
        free(eager);
        return true;
    }
    struct eager **kept = &room->eager_kept[eager->page != NULL];
    eager->next = *kept;
    *kept = eager;
    return true;
}

void sends_close(struct shm_room *room)
{
    for (int i = 0; i < 2; i++)
        for (struct eager *eager; (eager = room->eager_kept[i]);) {
            room->eager_kept[i] = eager->next;
            host_free(room->self, eager->page);
            free(eager);
        }
}

/* All places are taken: give the receiver a moment. If that was in vain, the next need not try it. */
static void sends_await_place(struct shm_room *room, struct peer *peer)
{
    for (int i = 0; i < EAGER_YIELDS && !peer->stuck && channel_is_full(peer); i++) {
        engine_progress(room, true);
        if (!sends_settle(room, peer)) {
            engine_unlock(room);
            sched_yield();
            engine_lock(room);
        }
    }
    peer->stuck = channel_is_full(peer);
}

/* An eager message: copy it aside and let the copy travel on; the caller's op is over. */
static int sends_eagerly(struct shm_room *room, struct dist_work *op)
{
    size_t bytes = bytes_of(op, op->in);
    struct peer *peer = &room->peers[op->peer];
    if (channel_is_full(peer))
        sends_await_place(room, peer);
    struct eager *copy = sends_copy(room, bytes);
    if (!copy)
        return engine_refuse(room, op, DIST_ERR_MEMORY, "there is no memory left to copy the message aside");
    memcpy(&copy->op, op,
           offsetof(struct dist_work, live)); /* not its links among the works, which other threads change */
    copy->op.aside = copy->op.in.data = copy->page ? copy->page : copy->text;
    copy->op.async = true;
    host_copy(copy->op.aside, op->in.data, bytes);
    atomic_fetch_add(&op->group->untaken, 1);
    room->open++;
    engine_done(room, op, DIST_OK);
    sends_line_up(room, &copy->op);
    helper_takes_over(room);
    engine_unlock(room);
    return DIST_OK;
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
        return sends_eagerly(room, op);
    sends_line_up(room, op);
    return engine_start(room, op);
}
