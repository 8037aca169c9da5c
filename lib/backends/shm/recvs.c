/*
 * recvs.c: the receiver's side: messages are matched, set aside where none asks for them, and their data copied.
 *
 * The receiver does the matching, alone, so there is nothing to agree on. A receive first looks among the unexpected
 * messages, in the order in which they came, then waits in `posted`. A message that comes looks for the first receive
 * that it fits. Finding none, it is set aside, so that those behind it get their turn: that is how a receive
 * with tag 2 overtakes one with tag 1, while two messages with the same tag never pass each other. But messages of somebody from
 * whom nothing is wanted stay in their channel: that holds back a sender that is too quick.
 */
#include "tickets.h"
#include "wanted.h"
#include "../../devices/host.h"

/* Do size and type agree? If not, it is told how they differ. */
static inline bool recvs_agree(struct shm_state *shm, struct dist_work *op, int src,
                               const struct envelope *envelope)
{
    if (envelope->type == (uint8_t)op->type && envelope_bytes(envelope) == bytes_of(op, op->out))
        return true;
    refusals_tell(shm, op, src, envelope);
    return false;
}

static void recvs_copy_envelope(struct shm_state *shm, struct dist_work *op, const struct envelope *envelope)
{
    size_t bytes = envelope_bytes(envelope);
    if (envelope->length == ENVELOPE_BY_REFERENCE)
        host_copy(op->out.data, world_at(shm->world, envelope_offset(envelope)), bytes);
    else
        envelope_get(op->out.data, envelope->data, bytes);
}

static void recvs_end(struct shm_state *shm, struct dist_work *op, int src, uint32_t ticket, bool good)
{
    ticket_stamp(shm, src, ticket, good ? VERDICT_DONE : VERDICT_REFUSED);
    engine_done(shm, op, good ? DIST_OK : DIST_ERR_MISMATCH);
}

static void recvs_post(struct shm_state *shm, struct dist_work *op)
{
    match_add(&shm->posted, &op->match, match_key(op->peer, op->group->id, op->tag));
    if (op->peer == DIST_ANY_SOURCE) {
        if (shm->posted_any++ == 0)
            shm->unlooked = 0;
    } else {
        shm->peers[op->peer].receives++;
        p2p_busy(shm, &shm->peers[op->peer]);
    }
}

static void recvs_unpost(struct shm_state *shm, struct dist_work *op)
{
    match_remove(&shm->posted, &op->match);
    (*(op->peer == DIST_ANY_SOURCE ? &shm->posted_any : &shm->peers[op->peer].receives))--;
}

/* A message that has left its channel has found its receive. Matching is quick and done at once; a long copy is put in a queue, so
 * that a thread that only posts something does not have to make it. */
static void recvs_deliver_taken(struct shm_state *shm, struct dist_work *op, struct unexpected *found)
{
    op->from = found->src;
    bool good = recvs_agree(shm, op, found->src, &found->envelope);
    if (good && envelope_bytes(&found->envelope) > DIRECT_BYTES) {
        op->aside = found;
        queue_add(&shm->copies, op);
        return;
    }
    if (good)
        recvs_copy_envelope(shm, op, &found->envelope);
    recvs_end(shm, op, found->src, envelope_ticket(&found->envelope), good);
    unexpected_free(shm, found);
}

/* Make the first long copy of the queue, with the engine unlocked: the rank's other threads go on. */
bool recvs_copy(struct shm_state *shm)
{
    struct dist_work *op = shm->copies.first;
    struct unexpected *found = op->aside;
    queue_remove(&shm->copies, op);
    op->claimed = true;
    bool guest = engine_step_out(shm);
    recvs_copy_envelope(shm, op, &found->envelope);
    engine_step_in(shm, guest);
    op->claimed = false;
    op->aside = NULL;
    recvs_end(shm, op, found->src, envelope_ticket(&found->envelope), true);
    unexpected_free(shm, found);
    return true;
}

/* A very long one for a receive that waits, and has nothing else to do: the sender may help. */
static void recvs_deliver_shared(struct shm_state *shm, struct dist_work *op, int src,
                                 const struct envelope *envelope)
{
    uint32_t ticket = envelope_ticket(envelope);
    op->from = src;
    if (share_copy(shm, op, src, envelope))
        recvs_end(shm, op, src, ticket, true);
    else
        engine_done(shm, op, backend_failed(shm->world, &op->why));
}

/* The next message of src has found its receive. A long one leaves the channel before it is copied. */
static void recvs_deliver(struct shm_state *shm, struct dist_work *op, int src,
                          const struct envelope *envelope)
{
    struct peer *peer = &shm->peers[src];
    size_t bytes = envelope_bytes(envelope);
    if (bytes >= SHARE_BYTES && !engine_is_shared(shm) && !op->async && src != shm->rank &&
        recvs_agree(shm, op, src, envelope)) {
        recvs_deliver_shared(shm, op, src, envelope);
        return;
    }
    struct unexpected *found = bytes > DIRECT_BYTES ? unexpected_new(shm, src, envelope) : NULL;
    op->from = src;
    if (found) {
        channel_take(shm, src, peer, envelope, VERDICT_BY_TICKET);
        recvs_deliver_taken(shm, op, found);
        return;
    } /* a long one, too, where there is no memory to set it aside */
    bool good = recvs_agree(shm, op, src, envelope);
    if (good)
        recvs_copy_envelope(shm, op, envelope);
    channel_take(shm, src, peer, envelope, good ? VERDICT_DONE : VERDICT_REFUSED);
    if (bytes >= ACK_BYTES)
        channel_flush(shm, src, peer);
    engine_done(shm, op, good ? DIST_OK : DIST_ERR_MISMATCH);
}

/* Take the next message of src. False: there is none. */
static bool recvs_take(struct shm_state *shm, int src)
{
    const struct envelope *envelope = channel_peek(&shm->peers[src]);
    if (!envelope)
        return false;
    struct match *found =
        match_receive_for(&shm->posted, shm->posted_any > 0, src, envelope->group, envelope->tag);
    if (!found)
        return unexpected_keep(shm, src, envelope);
    recvs_unpost(shm, match_receive(found));
    recvs_deliver(shm, match_receive(found), src, envelope);
    return true;
}

bool recvs_drain(struct shm_state *shm, int src)
{
    struct peer *peer = &shm->peers[src];
    bool moved = false;
    while (peer->receives > 0 && recvs_take(shm, src)) {
        if (moved) /* where this rank keeps pace, the sender is about to write there */
            channel_fetch_to_read(peer);
        moved = true;
    }
    channel_flush(shm, src, peer);
    return moved;
}

static void recvs_flush(struct shm_state *shm)
{
    for (int src = 0; src < shm->size; src++)
        channel_flush(shm, src, &shm->peers[src]);
}

bool recvs_from_anybody(struct shm_state *shm)
{
    uint64_t arrival;
    bool moved = false;
    int src;
    while (shm->posted_any > 0 && (src = channel_first(shm, &arrival)) >= 0 && recvs_take(shm, src))
        moved = true;
    if (moved)
        recvs_flush(shm);
    return moved;
}

/* Non-blocking ones look into the channel once in SEQ_BATCH posts, and the first always: its message may have notified our progress thread long ago,
 * in vain. Later ones do so again. */
static inline bool recvs_is_time(const struct dist_work *op, unsigned *unlooked)
{
    return !op->async || (*unlooked)++ % SEQ_BATCH == 0;
}

/* What was sent first may be set aside already, or still be in a channel, behind others. So all that was sent before it is taken. */
static void recvs_look_for_any(struct shm_state *shm, struct dist_work *op)
{
    uint64_t arrival;
    bool goes_on = true;
    while (goes_on && op->from < 0) {
        struct unexpected *found = unexpected_for(shm, op);
        int src = channel_first(shm, &arrival);
        goes_on = src >= 0 && (!found || arrival < found->arrival);
        if (goes_on) {
            goes_on = recvs_take(shm, src);
        } else if (found) {
            recvs_unpost(shm, op);
            recvs_deliver_taken(shm, op, unexpected_take(shm, found));
        }
    }
    recvs_flush(shm);
}

/* Can the next message of its sender be for nobody else? If it is there the receive need not be posted, else the receive says what it wants. */
static bool recvs_take_at_once(struct shm_state *shm, struct dist_work *op)
{
    struct peer *peer = &shm->peers[op->peer];
    const struct envelope *envelope;
    if (peer->receives > 0 || shm->posted_any > 0)
        return false;
    if (!(envelope = channel_peek(peer)))
        wanted_say(peer, wanted_word(op->tag, op->group->id, op->type, op->out.count));
    peer->unlooked = !envelope;
    if (!envelope || envelope->tag != op->tag || envelope->group != (uint16_t)op->group->id)
        return false;
    recvs_deliver(shm, op, op->peer, envelope);
    channel_fetch_to_read(peer);
    channel_flush_soon(shm, op->peer, peer, op->async);
    return true;
}

int shm_recv(void *state, struct dist_work *op)
{
    struct shm_state *shm = state;
    if (engine_enter(shm, op, op->async) != DIST_OK)
        return op->status;
    op->from = -1;
    struct unexpected *found;
    if (op->peer == DIST_ANY_SOURCE) {
        recvs_post(shm, op);
        if (recvs_is_time(op, &shm->unlooked) || unexpected_for(shm, op))
            recvs_look_for_any(shm, op);
    } else if (shm->unexpected.count > 0 && (found = unexpected_for(shm, op))) {
        recvs_deliver_taken(shm, op, unexpected_take(shm, found));
    } else if (!recvs_take_at_once(shm, op)) {
        recvs_post(shm, op);
        if (recvs_is_time(op, &shm->peers[op->peer].unlooked))
            shm->posted_any > 0 ? recvs_from_anybody(shm) : recvs_drain(shm, op->peer);
    }
    return engine_start(shm, op);
}

void recvs_drop(struct shm_state *shm, struct dist_work *op)
{
    if (!op->aside) {
        recvs_unpost(shm, op);
        return;
    }
    queue_remove(&shm->copies, op);
    unexpected_free(shm, op->aside);
    op->aside = NULL;
}
