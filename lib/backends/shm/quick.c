/*
 * quick.c: the quick way of a short blocking message, for a rank with nothing else open. No op, no lists: what was asked
 * goes into the slot, and out of the channel. channel.h says why that is right. NOTES.md (tests/bench) says what it buys.
 *
 * Nobody sleeps here. Who has looked in vain for a moment, or meets anything unusual, says so; then the call goes the
 * long way, with an op and the engine, from where the quick way stands.
 */
#include "tickets.h"
#include "wanted.h"
#include "../../devices/host.h"

/* What a short message that is waited for does not need stands apart, so that its own way has no calls in it: it is done in the
 * registers that it finds free. */
#define APART __attribute__((noinline)) static

/* Are ops open, whose progress reads the channels too? (And a rank has no quick way to itself.) */
static inline bool quick_is_busy(const struct shm_state *shm, int peer)
{
    return shm->open > 0 || peer == shm->rank;
}

/* All fields but the data. */
static inline void quick_address(struct envelope *envelope, const tensor *t, int tag, int group,
                                 uint32_t site, uint32_t ticket)
{
    envelope->tag = tag;
    envelope->origin = envelope_origin(site, ticket);
    envelope->group = (uint16_t)group;
    envelope->type = (uint8_t)t->type;
    envelope->length = (uint8_t)t->bytes;
}

static inline void quick_post(struct shm_state *shm, int dst, struct peer *peer)
{
    uint32_t ring = atomic_load_explicit(&peer->out->seq, memory_order_relaxed) & SEQ_RING;
    peer->slotted = ++peer->sent;
    atomic_store_explicit(&peer->out->seq, ((uint32_t)peer->sent & SEQ_COUNT) | ring, memory_order_release);
    eventcount_notify_lightly(&rank_slot_of(shm, dst)->eventcount);
}

/* Look for a moment whether the message was taken, or is waited for after all. */
APART enum quick quick_look(struct shm_state *shm, struct peer *peer, uint32_t want)
{
    rhythm_pause(&shm->rhythm);
    for (unsigned looks = shm->looks;; looks--) {
        uint32_t ack = channel_look(peer);
        bool taken = peer->known == peer->sent; /* then what it tells of a want is about the next message */
        if (taken ? (ack & ACK_VERDICT) == VERDICT_DONE : wanted_by(ack, want)) {
            rhythm_learn(&shm->rhythm, looks != shm->looks);
            return QUICK_DONE;
        }
        if (looks == 0 || taken) {
            ticket_take_spare(shm);
            return QUICK_BEGUN;
        }
        backoff_pause();
    }
}

/* Only the data's offset goes into the envelope. */
APART enum quick quick_send_by_reference(struct shm_state *shm, const tensor *t, int dst, int tag, int group,
                                         uint32_t site, uint32_t ack)
{
    struct peer *peer = &shm->peers[dst];
    struct envelope *envelope = slot_envelope(peer->out);
    bool staged = wanted_stage(peer, t->data, t->bytes);
    uint32_t want = staged ? wanted_word(tag, group, t->type, t->numel) : 0;
    quick_address(envelope, t, tag, group, site, shm->spare);
    envelope_point(envelope, world_offset(shm->world, staged ? peer->stage : t->data), t->bytes);
    quick_post(shm, dst, peer);
    enum quick went = wanted_by(ack, want) ? QUICK_DONE : quick_look(shm, peer, want);
    if (staged && went == QUICK_BEGUN)
        peer->staged = peer->sent;
    return went;
}

static inline enum quick quick_send(struct shm_state *shm, const tensor *t, int dst, int tag, int group,
                                    uint32_t site)
{
    struct peer *peer = &shm->peers[dst];
    if (quick_is_busy(shm,
                      dst)) /* open sends: their verdicts must be read before known moves (sends_read_acks) */
        return QUICK_NOT;
    uint32_t ack = channel_look(peer);
    if (peer->known != peer->sent || shm->eager_bytes || shm->spare == NO_TICKET || peer->sent == 0 ||
        t->bytes >
            DIRECT_BYTES) /* the first message to a peer is sends_publish's: it sets the bit in callers */
        return QUICK_NOT;
    if (t->bytes > SLOT_INLINE)
        return quick_send_by_reference(shm, t, dst, tag, group, site, ack);
    struct envelope *envelope = slot_envelope(peer->out);
    quick_address(envelope, t, tag, group, site, shm->spare);
    envelope_put(envelope->data, t->data, t->bytes);
    quick_post(shm, dst, peer);
    uint32_t want = wanted_word(tag, group, t->type, t->numel);
    return wanted_by(ack, want) ? QUICK_DONE : quick_look(shm, peer, want);
}

/* BEGUN: stay locked; engine_enter relies on it. */
static inline enum quick quick_leave(struct shm_state *shm, enum quick went)
{
    if (went != QUICK_BEGUN)
        engine_unlock(shm);
    return went;
}

enum quick shm_quick_send(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                          uint32_t site)
{
    struct shm_state *shm = state;
    engine_lock(shm);
    return quick_leave(shm, quick_send(shm, t, peer, tag, group->id, site));
}

/* An envelope in a cell, data by reference, or a message that does not match (QUICK_NOT). */
APART enum quick quick_take_other(struct shm_state *shm, tensor *t, int src, int tag, int group,
                                  const struct envelope *envelope)
{
    struct peer *peer = &shm->peers[src];
    if (envelope->tag != tag || envelope->group != (uint16_t)group || envelope->type != (uint8_t)t->type ||
        envelope_bytes(envelope) != t->bytes)
        return QUICK_NOT;
    if (envelope->length != ENVELOPE_BY_REFERENCE)
        envelope_get(t->data, envelope->data, t->bytes);
    else
        host_copy(t->data, world_at(shm->world, envelope_offset(envelope)), t->bytes);
    channel_take(shm, src, peer, envelope, VERDICT_DONE);
    channel_flush(shm, src, peer);
    return QUICK_DONE;
}

/* Nothing has come yet: say what is wanted, and look for a moment. */
static inline const struct envelope *quick_await(struct shm_state *shm, struct peer *peer, uint32_t want)
{
    const struct envelope *envelope;
    wanted_say(peer, want);
    rhythm_pause(&shm->rhythm);
    for (unsigned looks = shm->looks; looks > 0; looks--) {
        if ((envelope = channel_peek(peer))) {
            rhythm_learn(&shm->rhythm, looks != shm->looks);
            return envelope;
        }
        backoff_pause();
    }
    return NULL;
}

static inline enum quick quick_recv(struct shm_state *shm, tensor *t, int src, int tag, int group)
{
    struct peer *peer = &shm->peers[src];
    const struct envelope *envelope;
    if (quick_is_busy(shm, src) || shm->unexpected.count > 0 || t->bytes > DIRECT_BYTES)
        return QUICK_NOT;
    if (!(envelope = channel_peek(peer)) &&
        !(envelope = quick_await(shm, peer, wanted_word(tag, group, t->type, t->numel))))
        return QUICK_BEGUN; /* it has said what it wants */
    if (envelope->tag != tag || envelope->group != (uint16_t)group || envelope->type != (uint8_t)t->type ||
        envelope->length != t->bytes || t->bytes > SLOT_INLINE || envelope != slot_envelope(peer->in))
        return quick_take_other(shm, t, src, tag, group, envelope);
    envelope_get(t->data, envelope->data, t->bytes);
    channel_take(shm, src, peer, envelope, VERDICT_DONE);
    return QUICK_DONE;
}

enum quick shm_quick_recv(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                          uint32_t site)
{
    (void)site;
    struct shm_state *shm = state;
    engine_lock(shm);
    return quick_leave(shm, quick_recv(shm, t, peer, tag, group->id));
}
