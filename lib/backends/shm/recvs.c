/*
 * recvs.c: the receiver's side: letters are matched, parked, and their data copied.
 *
 * The receiver does the matching, alone, so there is nothing to agree on. A receive first looks among the parked
 * letters, in the order in which they came, then waits in `recvs`. A letter in a lane looks for the first receive
 * that it fits. Finding none, it is parked, so that the letters behind it get their turn: that is how a receive
 * with tag 2 overtakes one with tag 1, while two letters with the same tag never pass each other.
 */
#include "lane.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const struct dist_work *op, int src, const struct letter *letter)
{
    return (op->peer == src || op->peer == DIST_ANY_SOURCE) && op->tag == letter->tag &&
           op->group->id == letter->group;
}

/* Do size and type agree? If not, say how they differ. */
static bool agree(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    size_t bytes = letter_bytes(letter);
    if (letter->type == (uint8_t)op->type && bytes == bytes_of(op, op->out))
        return true;
    const struct site *site = world_site_at(room->world, src, letter->site);
    enum dist_type type = letter->type;
    size_t count = bytes / dtype_size(type);
    const char *plural = count == 1 ? "" : "s";
    snprintf(op->why, sizeof op->why,
             "rank %d sends %zu element%s of %s (%s:%d), this receive has room for exactly %lld of %s", src,
             count, plural, dtype_name(type), site->file, site->line, (long long)op->out.count,
             dtype_name(op->type));
    const struct site *own = world_site_at(room->world, room->rank, op->site);
    struct rank_notes *notes = notes_of(room);
    snprintf(
        notes->refusal, sizeof notes->refusal,
        "rank %d's receive (%s:%d) has room for exactly %lld of %s, this message has %zu element%s of %s",
        room->rank, own->file, own->line, (long long)op->out.count, dtype_name(op->type), count, plural,
        dtype_name(type));
    return false;
}

static void copy_letter(struct shm_room *room, struct dist_work *op, const struct letter *letter)
{
    size_t bytes = letter_bytes(letter);
    if (letter->length == LANE_FAR)
        host_copy(op->out.data, world_at(room->world, letter_offset(letter)), bytes);
    else
        letter_read(op->out.data, letter->text, bytes);
}

static void end_recv(struct shm_room *room, struct dist_work *op, int src, uint16_t ticket, bool good)
{
    ticket_stamp(room, src, ticket, good ? VERDICT_DONE : VERDICT_REFUSED);
    engine_done(room, op, good ? DIST_OK : DIST_ERR_MISMATCH);
}

/* A parked letter has found its receive. Matching is quick and done at once; a long copy is put in a queue, so
 * that a thread that only posts something does not have to make it. */
static void deliver_parked(struct shm_room *room, struct dist_work *op, struct parked *found)
{
    op->from = found->src;
    bool good = agree(room, op, found->src, &found->letter);
    if (good && letter_bytes(&found->letter) > DIRECT_BYTES) {
        op->aside = found;
        *room->copies_end = op;
        room->copies_end = &op->next;
        return;
    }
    if (good)
        copy_letter(room, op, &found->letter);
    end_recv(room, op, found->src, found->letter.ticket, good);
    free(found);
}

/* Make the first long copy of the queue, with the engine unlocked: the rank's other threads go on. */
static void copy_next(struct shm_room *room)
{
    struct dist_work *op = room->copies;
    struct parked *found = op->aside;
    list_remove(op, &room->copies, &room->copies_end);
    op->claimed = true;
    engine_unlock(room);
    copy_letter(room, op, &found->letter);
    engine_lock(room);
    op->claimed = false;
    op->aside = NULL;
    end_recv(room, op, found->src, found->letter.ticket, true);
    free(found);
}

static struct parked *set_aside(int src, const struct letter *letter)
{
    struct parked *parked = malloc(sizeof *parked);
    if (parked)
        *parked = (struct parked){ .src = src, .letter = *letter };
    return parked;
}

/* A very long one for a receive that waits, and has nothing else to do: the sender may help. */
static void deliver_shared(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    uint16_t ticket = letter->ticket;
    list_remove(op, &room->recvs, &room->recvs_end);
    op->from = src;
    if (share_copy(room, op, src, letter))
        end_recv(room, op, src, ticket, true);
    else
        engine_done(room, op, backend_failed(room->world, op));
}

/* The letter at the head of src's lane has found its receive. A long one leaves the lane before it is copied. */
static bool deliver(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    if (letter_bytes(letter) >= SHARE_BYTES && !room->threaded && !op->async && src != room->rank &&
        agree(room, op, src, letter)) {
        deliver_shared(room, op, src, letter);
        return true;
    }
    if (letter_bytes(letter) > DIRECT_BYTES) {
        struct parked *found = set_aside(src, letter);
        if (!found)
            return false; /* it stays in its lane until memory comes back */
        list_remove(op, &room->recvs, &room->recvs_end);
        lane_take(room, src, VERDICT_PARKED);
        deliver_parked(room, op, found);
        return true;
    }
    list_remove(op, &room->recvs, &room->recvs_end);
    bool good = agree(room, op, src, letter);
    op->from = src;
    if (good)
        copy_letter(room, op, letter);
    lane_take(room, src, good ? VERDICT_DONE : VERDICT_REFUSED);
    engine_done(room, op, good ? DIST_OK : DIST_ERR_MISMATCH);
    return true;
}

static bool park(struct shm_room *room, int src, const struct letter *letter)
{
    struct parked *parked = set_aside(src, letter);
    if (!parked)
        return false;
    *room->parked_end = parked;
    room->parked_end = &parked->next;
    lane_take(room, src, VERDICT_PARKED);
    return true;
}

/* Look into the lane from src, for which at least one receive waits. */
static bool empty_lane(struct shm_room *room, int src)
{
    const struct letter *letter = lane_peek(room, src);
    if (!letter)
        return false;
    struct dist_work *op = room->recvs;
    while (op && !fits(op, src, letter))
        op = op->next;
    return op ? deliver(room, op, src, letter) : park(room, src, letter);
}

/* A receive that was just posted may find its letter parked. */
static bool take_parked(struct shm_room *room, struct dist_work *op)
{
    for (struct parked **at = &room->parked; *at; at = &(*at)->next)
        if (fits(op, (*at)->src, &(*at)->letter)) {
            struct parked *found = *at;
            *at = found->next;
            if (!*at)
                room->parked_end = at;
            found->next = NULL;
            deliver_parked(room, op, found);
            return true;
        }
    return false;
}

int shm_recv(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    engine_lock(room);
    room->open++;
    if (!take_parked(room, op)) {
        *room->recvs_end = op;
        room->recvs_end = &op->next;
    }
    return engine_start(room, op);
}

bool recvs_progress(struct shm_room *room, bool light)
{
    if (room->copies && !light) {
        copy_next(room);
        return true;
    }
    /* A delivery changes the list: go on with the next call then. */
    for (struct dist_work *op = room->recvs; op; op = op->next) {
        if (op->peer != DIST_ANY_SOURCE && empty_lane(room, op->peer))
            return true;
        for (int src = lane_next_caller(room, 0); op->peer == DIST_ANY_SOURCE && src < room->size;
             src = lane_next_caller(room, src + 1))
            if (empty_lane(room, src))
                return true;
    }
    return false;
}
