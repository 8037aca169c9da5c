/*
 * sends.c: the sender's side: letters are written, posted, and their verdicts read.
 *
 * For each peer they wait in a queue, whose first has that peer's lane, or is the next to get it: so letters to one peer keep
 * their order. A send whose letter was parked stands in `away`. Whoever waits for one looks at its ticket; those that nobody
 * waits for are looked at a few at a time.
 */
#include "lane.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEPT 2 /* at a time */

/* A send's way, in op->step. */
enum { SEND_QUEUED, SEND_POSTED, SEND_PARKED };

static void write_letter(struct shm_room *room, const struct dist_work *op, struct letter *letter)
{
    size_t bytes = bytes_of(op, op->in);
    letter->tag = op->tag;
    letter->origin = letter_origin(op->site, op->ticket);
    letter->group = (uint16_t)op->group->id;
    letter->type = (uint8_t)op->type;
    if (bytes <= LANE_BYTES) {
        letter->length = (uint8_t)bytes;
        letter_write(letter->text, op->in.data, bytes);
    } else {
        letter_point(letter, world_offset(room->world, op->aside ? op->aside : op->in.data), bytes);
    }
}

/* The next free ticket; NO_TICKET: all are with letters that are parked. */
static uint32_t take_ticket(struct shm_room *room)
{
    if (room->free_ticket_count > 0)
        return room->free_tickets[--room->free_ticket_count];
    return room->tickets_used < TICKETS ? room->tickets_used++ : NO_TICKET;
}

static void clear_ticket(struct shm_room *room, uint32_t ticket)
{
    atomic_store_explicit(&room->tickets[(size_t)room->rank * TICKETS + ticket], VERDICT_NONE,
                          memory_order_relaxed);
}

void sends_spare(struct shm_room *room)
{
    room->spare = take_ticket(room);
    if (room->spare != NO_TICKET)
        clear_ticket(room, room->spare);
}

static void give_ticket_back(struct shm_room *room, uint32_t ticket)
{
    if (ticket != NO_TICKET)
        room->free_tickets[room->free_ticket_count++] = ticket;
    if (room->spare == NO_TICKET)
        sends_spare(room);
}

static struct queue *queue_of(struct shm_room *room, const struct dist_work *op)
{
    return op->step == SEND_PARKED ? &room->away : &room->peers[op->peer].sends;
}

void sends_drop(struct shm_room *room, struct dist_work *op)
{
    queue_remove(queue_of(room, op), op);
}

static void end_send(struct shm_room *room, struct dist_work *op, enum verdict verdict)
{
    give_ticket_back(room, op->ticket);
    sends_drop(room, op);
    if (letters_forget(room, op)) { /* its call has long returned */
        room->open--;
        return;
    }
    if (verdict == VERDICT_REFUSED) { /* the receiver knows why, and says it */
        snprintf(op->why, sizeof op->why, "%s", world_notes(room->world, op->peer)->refusal);
        op->speaker = op->peer + 1;
    }
    engine_done(room, op, verdict == VERDICT_REFUSED ? DIST_ERR_MISMATCH : DIST_OK);
}

static void prepare_letter(struct shm_room *room, struct dist_work *op)
{
    clear_ticket(room, op->ticket);
    op->step = SEND_POSTED;
    write_letter(room, op, lane_letter(room, op->peer));
}

/* The letter was taken out of its lane. */
static void was_taken(struct shm_room *room, struct dist_work *op)
{
    enum verdict verdict = lane_verdict(room, op->peer);
    if (verdict == VERDICT_SHARED && !engine_is_shared(room) && !op->async)
        share_help(room, op);
    if (verdict == VERDICT_DONE || verdict == VERDICT_REFUSED) {
        end_send(room, op, verdict);
        return;
    }
    sends_drop(room, op);
    op->step = SEND_PARKED;
    queue_add(&room->away, op);
}

/* Move the first of a queue on by a step. While anything waits for the lane, its freeing is to be told. */
static bool push_first(struct shm_room *room, struct dist_work *op)
{
    bool waits = op->step == SEND_QUEUED || op->next;
    if (waits ? !lane_frees_soon(room, op->peer) : !lane_is_free(room, op->peer))
        return false;
    if (op->step == SEND_POSTED) {
        was_taken(room, op);
        return true;
    }
    op->ticket = take_ticket(room);
    if (op->ticket == NO_TICKET)
        return false;
    prepare_letter(room, op);
    lane_stamp(room, op->peer, lane_seq(room, op->peer) + 1, op->match.number);
    lane_post(room, op->peer);
    return true;
}

bool sends_push(struct shm_room *room, int peer)
{
    const struct queue *queue = &room->peers[peer].sends;
    bool moved = false;
    while (queue->first && push_first(room, queue->first))
        moved = true;
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
    end_send(room, op, verdict);
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
static void line_up(struct shm_room *room, struct dist_work *op)
{
    int peer = op->peer;
    queue_add(&room->peers[peer].sends, op);
    letters_busy(room, peer);
    sends_sweep(room);
    sends_push(room, peer);
}

/* An eager message: copy it aside and let the copy travel on, by the helper; the caller's op is over. */
static int send_eagerly(struct shm_room *room, struct dist_work *op)
{
    struct dist_work *copy = calloc(1, sizeof *copy);
    void *aside = copy ? host_alloc(room->self, bytes_of(op, op->in)) : NULL;
    if (!aside) {
        free(copy);
        return engine_refuse(room, op, DIST_ERR_MEMORY, "there is no memory left to copy the message aside");
    }
    memcpy(copy, op,
           offsetof(struct dist_work, live)); /* not its links among the works, which other threads change */
    host_copy(aside, op->in.data, bytes_of(op, op->in));
    copy->aside = aside;
    copy->in.data = aside;
    copy->async = true;
    atomic_fetch_add(&op->group->untaken, 1);
    room->open++;
    engine_done(room, op, DIST_OK);
    line_up(room, copy);
    helper_takes_over(room);
    engine_unlock(room);
    return DIST_OK;
}

int shm_send(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    bool eager = room->eager_bytes && bytes_of(op, op->in) <= room->eager_bytes;
    op->ticket = op->begun_quickly ? letter_ticket(lane_letter(room, op->peer)) : NO_TICKET;
    op->step = op->begun_quickly ? SEND_POSTED : SEND_QUEUED;
    if (engine_enter(room, op, op->async || eager) != DIST_OK)
        return op->status;
    op->match.number = lane_draw(room, op->peer);
    if (op->begun_quickly)
        lane_stamp(room, op->peer, lane_seq(room, op->peer), op->match.number);
    if (eager)
        return send_eagerly(room, op);
    line_up(room, op);
    return engine_start(room, op);
}
