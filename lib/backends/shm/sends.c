/*
 * sends.c: the sender's side: letters are written, posted, and their verdicts read.
 *
 * Sends wait in one list, in the order in which they were posted, and every visit walks it in that order: so the
 * first in the queue for a peer gets that peer's lane, and letters to one peer keep their order.
 */
#include "lane.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A send's way, in op->step. */
enum { SEND_QUEUED, SEND_POSTED, SEND_PARKED };

static void write_letter(struct shm_room *room, const struct dist_work *op, struct letter *letter)
{
    size_t bytes = bytes_of(op, op->in);
    letter->tag = op->tag;
    letter->group = (uint16_t)op->group->id;
    letter->site = (uint16_t)op->site;
    letter->type = (uint8_t)op->type;
    letter->ticket = (uint16_t)op->ticket;
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
        room->free_tickets[room->free_ticket_count++] = (uint16_t)ticket;
    if (room->spare == NO_TICKET)
        sends_spare(room);
}

static void end_send(struct shm_room *room, struct dist_work *op, enum verdict verdict)
{
    give_ticket_back(room, op->ticket);
    if (room->sends)
        list_remove(op, &room->sends, &room->sends_end);
    if (op->aside) { /* an eager message: its call has long returned, only the copy is left to free */
        host_free(room->self, op->aside);
        room->open--;
        free(op);
        return;
    }
    if (verdict == VERDICT_REFUSED) { /* the receiver knows why, and says it */
        snprintf(op->why, sizeof op->why, "%s", world_notes(room->world, op->peer)->refusal);
        op->speaker = op->peer + 1;
    }
    engine_done(room, op, verdict == VERDICT_REFUSED ? DIST_ERR_MISMATCH : DIST_OK);
}

/* Is the lane to this peer still in use? The answer holds for the rest of the walk: a peer may empty its lane at any
 * moment, and a later send must neither take it before an earlier one nor cover up the earlier one's verdict. */
static bool held(struct shm_room *room, int peer)
{
    if (room->held[peer] != room->visit && !lane_is_free(room, peer))
        room->held[peer] = room->visit;
    return room->held[peer] == room->visit;
}

static void prepare_letter(struct shm_room *room, struct dist_work *op)
{
    clear_ticket(room, op->ticket);
    op->step = SEND_POSTED;
    write_letter(room, op, lane_letter(room, op->peer));
}

/* The letter was taken. True: the send is over. */
static bool was_taken(struct shm_room *room, struct dist_work *op)
{
    enum verdict verdict = lane_verdict(room, op->peer);
    if (verdict == VERDICT_SHARED && !room->threaded && !op->async)
        share_help(room, op);
    if (verdict == VERDICT_PARKED || verdict == VERDICT_SHARED) {
        op->step = SEND_PARKED;
        return false;
    }
    end_send(room, op, verdict);
    return true;
}

/* Move one send on by a step. */
static bool push_send(struct shm_room *room, struct dist_work *op)
{
    _Atomic uint32_t *row = &room->tickets[(size_t)room->rank * TICKETS];
    enum verdict verdict = VERDICT_NONE;
    switch (op->step) {
    case SEND_QUEUED:
        if (held(room, op->peer))
            return lane_frees_soon(room, op->peer); /* true: it is free now, take another walk */
        op->ticket = take_ticket(room);
        if (op->ticket == NO_TICKET) {
            room->held[op->peer] = room->visit;
            return false;
        }
        prepare_letter(room, op);
        lane_post(room, op->peer);
        room->held[op->peer] = room->visit;
        return true;
    case SEND_POSTED:
        if (held(room, op->peer))
            return false;
        was_taken(room, op);
        return true;
    default:
        verdict = atomic_load_explicit(&row[op->ticket], memory_order_acquire);
        if (verdict == VERDICT_NONE)
            return false;
        end_send(room, op, verdict);
        return true;
    }
}

/* An eager message: copy it aside and let the copy travel on; the caller's op is over. */
static int send_eagerly(struct shm_room *room, struct dist_work *op)
{
    struct dist_work *copy = calloc(1, sizeof *copy);
    void *aside = copy ? host_alloc(room->self, bytes_of(op, op->in)) : NULL;
    if (!aside) {
        free(copy);
        snprintf(op->why, sizeof op->why, "there is no memory left to copy the message aside");
        engine_done(room, op, DIST_ERR_MEMORY);
        return op->status;
    }
    *copy = *op;
    host_copy(aside, op->in.data, bytes_of(op, op->in));
    copy->aside = aside;
    copy->in.data = aside;
    copy->async = true;
    *room->sends_end = copy;
    room->sends_end = &copy->next;
    room->open++;
    engine_done(room, op, DIST_OK);
    return engine_start(room, copy);
}

int shm_send(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    op->ticket = op->begun_quickly ? lane_letter(room, op->peer)->ticket : NO_TICKET;
    op->step = op->begun_quickly ? SEND_POSTED : SEND_QUEUED;
    engine_lock(room);
    room->open++;
    if (room->eager_bytes && bytes_of(op, op->in) <= room->eager_bytes)
        return send_eagerly(room, op);
    *room->sends_end = op;
    room->sends_end = &op->next;
    return engine_start(room, op);
}

bool sends_progress(struct shm_room *room)
{
    bool moved = false;
    room->visit++;
    for (struct dist_work *op = room->sends, *next; op; op = next) {
        next = op->next;
        moved |= push_send(room, op);
    }
    return moved;
}
