/*
 * recvs.c: the receiver's side: letters are matched, parked, and their data copied.
 *
 * The receiver does the matching, alone, so there is nothing to agree on. A receive first looks among the parked
 * letters, in the order in which they came, then waits in `posted`. A letter in a lane looks for the first receive
 * that it fits. Finding none, it is parked, so that the letters behind it get their turn: that is how a receive
 * with tag 2 overtakes one with tag 1, while two letters with the same tag never pass each other.
 */
#include "lane.h"
#include "../../devices/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Do size and type agree? If not, say how they differ. */
static bool agree(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    size_t bytes = letter_bytes(letter);
    if (letter->type == (uint8_t)op->type && bytes == bytes_of(op, op->out))
        return true;
    const struct site *site = world_site_at(room->world, src, letter_site(letter));
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

static void end_recv(struct shm_room *room, struct dist_work *op, int src, uint32_t ticket, bool good)
{
    ticket_stamp(room, src, ticket, good ? VERDICT_DONE : VERDICT_REFUSED);
    engine_done(room, op, good ? DIST_OK : DIST_ERR_MISMATCH);
}

static void post(struct shm_room *room, struct dist_work *op)
{
    match_add(&room->posted, &op->match, match_key(op->peer, op->group->id, op->tag));
    if (op->peer == DIST_ANY_SOURCE) {
        room->posted_any++;
    } else {
        room->peers[op->peer].receives++;
        letters_busy(room, op->peer);
    }
}

static void unpost(struct shm_room *room, struct dist_work *op)
{
    match_remove(&room->posted, &op->match);
    (*(op->peer == DIST_ANY_SOURCE ? &room->posted_any : &room->peers[op->peer].receives))--;
}

/* A parked letter has found its receive. Matching is quick and done at once; a long copy is put in a queue, so
 * that a thread that only posts something does not have to make it. */
static void deliver_parked(struct shm_room *room, struct dist_work *op, struct parked *found)
{
    op->from = found->src;
    bool good = agree(room, op, found->src, &found->letter);
    if (good && letter_bytes(&found->letter) > DIRECT_BYTES) {
        op->aside = found;
        queue_add(&room->copies, op);
        return;
    }
    if (good)
        copy_letter(room, op, &found->letter);
    end_recv(room, op, found->src, letter_ticket(&found->letter), good);
    free(found);
}

/* Make the first long copy of the queue, with the engine unlocked: the rank's other threads go on. */
bool recvs_copy(struct shm_room *room)
{
    struct dist_work *op = room->copies.first;
    struct parked *found = op->aside;
    queue_remove(&room->copies, op);
    op->claimed = true;
    engine_unlock(room);
    copy_letter(room, op, &found->letter);
    engine_lock(room);
    op->claimed = false;
    op->aside = NULL;
    end_recv(room, op, found->src, letter_ticket(&found->letter), true);
    free(found);
    return true;
}

/* One that nobody has numbered is the youngest. */
static struct parked *set_aside(struct shm_room *room, int src, const struct letter *letter)
{
    struct parked *parked = malloc(sizeof *parked);
    uint64_t arrival = lane_arrival(room, src);
    if (parked)
        *parked = (struct parked){ .src = src,
                                   .arrival = arrival != UINT64_MAX ? arrival : lane_draw(room, room->rank),
                                   .letter = *letter };
    return parked;
}

/* A very long one for a receive that waits, and has nothing else to do: the sender may help. */
static void deliver_shared(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    uint32_t ticket = letter_ticket(letter);
    unpost(room, op);
    op->from = src;
    if (share_copy(room, op, src, letter))
        end_recv(room, op, src, ticket, true);
    else
        engine_done(room, op, backend_failed(room->world, op));
}

/* The letter at the head of src's lane has found its receive. A long one leaves the lane before it is copied. */
static bool deliver(struct shm_room *room, struct dist_work *op, int src, const struct letter *letter)
{
    if (letter_bytes(letter) >= SHARE_BYTES && !engine_is_shared(room) && !op->async && src != room->rank &&
        agree(room, op, src, letter)) {
        deliver_shared(room, op, src, letter);
        return true;
    }
    struct parked *found = letter_bytes(letter) > DIRECT_BYTES ? set_aside(room, src, letter) : NULL;
    unpost(room, op);
    if (found) {
        lane_take(room, src, VERDICT_PARKED);
        deliver_parked(room, op, found);
        return true;
    } /* a long one, too, where there is no memory to set it aside */
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
    struct parked *parked = set_aside(room, src, letter);
    if (!parked) {
        world_fail_because(room->world, room->rank, DIST_ERR_MEMORY,
                           "there is no memory left to set a message aside");
        return false;
    }
    match_add(&room->parked, &parked->match, match_key(src, letter->group, letter->tag));
    room->peers[src].parked++;
    lane_take(room, src, VERDICT_PARKED);
    return true;
}

/* The receive that was posted first of those that this letter fits. */
static struct dist_work *receive_for(const struct shm_room *room, int src, const struct letter *letter)
{
    struct match *one = match_find(&room->posted, match_key(src, letter->group, letter->tag));
    struct match *any =
        room->posted_any == 0
            ? NULL
            : match_find(&room->posted, match_key(DIST_ANY_SOURCE, letter->group, letter->tag));
    struct match *found = one && (!any || one->number < any->number) ? one : any;
    return found ? match_receive(found) : NULL;
}

bool recvs_drain(struct shm_room *room, int src)
{
    const struct letter *letter = lane_peek(room, src);
    if (!letter)
        return false;
    struct dist_work *op = receive_for(room, src, letter);
    return op ? deliver(room, op, src, letter) : park(room, src, letter);
}

bool recvs_from_anybody(struct shm_room *room)
{
    uint64_t arrival;
    bool moved = false;
    int src;
    for (int i = 0; i < room->size && room->posted_any > 0; i++) {
        if ((src = lane_first(room, NULL, &arrival)) < 0 || !recvs_drain(room, src))
            break;
        moved = true;
    }
    return moved;
}

/* The parked letter that was sent first of those that fit this receive. */
static struct parked *letter_for(const struct shm_room *room, const struct dist_work *op)
{
    struct parked *found = NULL;
    if (room->parked.count == 0)
        return NULL;
    if (op->peer != DIST_ANY_SOURCE)
        return (struct parked *)match_find(&room->parked, match_key(op->peer, op->group->id, op->tag));
    for (int src = 0; src < room->size; src++) {
        struct parked *next = NULL;
        if (room->peers[src].parked > 0)
            next = (struct parked *)match_find(&room->parked, match_key(src, op->group->id, op->tag));
        if (next && (!found || next->arrival < found->arrival))
            found = next;
    }
    return found;
}

int shm_recv(void *state, struct dist_work *op)
{
    struct shm_room *room = state;
    if (engine_enter(room, op, op->async) != DIST_OK)
        return op->status;
    int src = op->peer;
    uint64_t arrival = 0;
    if (src == DIST_ANY_SOURCE)
        src = lane_first(room, op, &arrival);
    struct parked *found = letter_for(room, op);
    if (found && (op->peer != DIST_ANY_SOURCE || src < 0 || found->arrival < arrival)) {
        match_remove(&room->parked, &found->match);
        room->peers[found->src].parked--;
        deliver_parked(room, op, found);
        return engine_start(room, op);
    }
    post(room, op);
    if (src >= 0)
        recvs_drain(room, src);
    return engine_start(room, op);
}

void recvs_drop(struct shm_room *room, struct dist_work *op)
{
    if (op->aside)
        queue_remove(&room->copies, op);
    else
        unpost(room, op);
}
