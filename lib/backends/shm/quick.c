/*
 * quick.c: the quick way of a short blocking message, for a rank with nothing else open. No op, no lists: what was asked
 * goes into the slot, and out of the channel. channel.h says why that is right. NOTES.md (tests/bench) says what it buys.
 *
 * Nobody sleeps here. Who has looked in vain for a moment, or meets anything unusual, says so; then the call goes the
 * long way, with an op and the engine, from where the quick way stands.
 */
#include "channel.h"
#include "../../devices/host.h"

/* What a short message that is waited for does not need stands apart, so that its own way has no calls in it: it is done in the
 * registers that it finds free. */
#define APART __attribute__((noinline)) static

/* May anybody else look into the channels meanwhile, or may something wait before us? */
static inline bool quick_is_busy(const struct shm_room *room, int peer)
{
    return room->open > 0 || peer == room->rank;
}

/* All but the text. */
static inline void quick_address(struct envelope *envelope, const tensor *t, int tag, uint32_t site,
                                 uint32_t ticket)
{
    envelope->tag = tag;
    envelope->origin = envelope_origin(site, ticket);
    envelope->group = 0;
    envelope->type = (uint8_t)t->type;
    envelope->length = (uint8_t)t->bytes;
}

static inline void quick_post(struct shm_room *room, int number, struct peer *peer)
{
    uint32_t ring = atomic_load_explicit(&peer->out->seq, memory_order_relaxed) & SEQ_RING;
    peer->slotted = ++peer->sent;
    atomic_store_explicit(&peer->out->seq, ((uint32_t)peer->sent & SEQ_COUNT) | ring, memory_order_release);
    bell_ring_lightly(&slot_of(room, number)->bell);
}

/* Look for a moment whether the message was taken, or is waited for after all. */
APART enum quick quick_look(struct shm_room *room, struct peer *peer, uint32_t want)
{
    rhythm_pause(&room->rhythm);
    for (unsigned looks = room->looks;; looks--) {
        uint32_t ack = channel_look(peer);
        bool taken = peer->known == peer->sent; /* then what it tells of a want is about the next message */
        if (taken ? (ack & ACK_VERDICT) == VERDICT_DONE : want && ack >> ACK_WANT == want) {
            rhythm_learn(&room->rhythm, looks != room->looks);
            return QUICK_DONE;
        }
        if (looks == 0 || taken) {
            sends_spare(room);
            return QUICK_BEGUN;
        }
        patience_pause();
    }
}

/* A message that lies elsewhere. */
APART enum quick quick_send_far(struct shm_room *room, const tensor *t, int number, int tag, uint32_t site)
{
    struct peer *peer = &room->peers[number];
    struct envelope *envelope = slot_envelope(peer->out);
    quick_address(envelope, t, tag, site, room->spare);
    envelope_point(envelope, world_offset(room->world, t->data), t->bytes);
    quick_post(room, number, peer);
    return quick_look(room, peer, 0);
}

static inline enum quick quick_send(struct shm_room *room, const tensor *t, int number, int tag,
                                    uint32_t site)
{
    struct peer *peer = &room->peers[number];
    uint32_t ack = channel_look(peer);
    if (quick_is_busy(room, number) || peer->known != peer->sent || room->eager_bytes ||
        room->spare == NO_TICKET || peer->sent == 0 || t->bytes > DIRECT_BYTES) /* channel_post comes first */
        return QUICK_NOT;
    if (t->bytes > SLOT_TEXT)
        return quick_send_far(room, t, number, tag, site);
    struct envelope *envelope = slot_envelope(peer->out);
    quick_address(envelope, t, tag, site, room->spare);
    envelope_put(envelope->text, t->data, t->bytes);
    quick_post(room, number, peer);
    uint32_t want = channel_want(tag, t->type, t->bytes);
    return want && ack >> ACK_WANT == want ? QUICK_DONE : quick_look(room, peer, want);
}

/* Where it was begun, no other thread comes in between until the op goes on. */
static inline enum quick quick_leave(struct shm_room *room, enum quick went)
{
    if (went != QUICK_BEGUN)
        engine_unlock(room);
    return went;
}

enum quick shm_quick_send(void *state, const tensor *t, int peer, int tag, uint32_t site)
{
    struct shm_room *room = state;
    engine_lock(room);
    return quick_leave(room, quick_send(room, t, peer, tag, site));
}

/* Anything but one or two numbers. */
APART enum quick quick_take_other(struct shm_room *room, tensor *t, int number, int tag,
                                  const struct envelope *envelope)
{
    struct peer *peer = &room->peers[number];
    if (envelope->tag != tag || envelope->group != 0 || envelope->type != (uint8_t)t->type ||
        envelope_bytes(envelope) != t->bytes)
        return QUICK_NOT;
    if (envelope->length != ENVELOPE_FAR)
        envelope_get(t->data, envelope->text, t->bytes);
    else
        host_copy(t->data, world_at(room->world, envelope_offset(envelope)), t->bytes);
    channel_take(room, number, peer, envelope, VERDICT_DONE);
    channel_flush(room, number, peer);
    return QUICK_DONE;
}

/* Nothing has come yet: say what is wanted, and look for a moment. */
static inline const struct envelope *quick_await(struct shm_room *room, struct peer *peer, uint32_t want)
{
    const struct envelope *envelope;
    uint32_t ack = atomic_load_explicit(&peer->out->ack, memory_order_relaxed);
    ack = (ack & ((1u << ACK_WANT) - 1)) | want << ACK_WANT;
    atomic_store_explicit(&peer->out->ack, ack, memory_order_release);
    rhythm_pause(&room->rhythm);
    for (unsigned looks = room->looks; looks > 0; looks--) {
        if ((envelope = channel_peek(peer))) {
            rhythm_learn(&room->rhythm, looks != room->looks);
            return envelope;
        }
        patience_pause();
    }
    return NULL;
}

static inline enum quick quick_recv(struct shm_room *room, tensor *t, int number, int tag)
{
    struct peer *peer = &room->peers[number];
    const struct envelope *envelope;
    if (quick_is_busy(room, number) || room->unexpected.count > 0 || t->bytes > DIRECT_BYTES)
        return QUICK_NOT;
    if (!(envelope = channel_peek(peer)) &&
        !(envelope = quick_await(room, peer, channel_want(tag, t->type, t->bytes))))
        return QUICK_BEGUN; /* it has said what it wants */
    if (envelope->tag != tag || envelope->group != 0 || envelope->type != (uint8_t)t->type ||
        envelope->length != t->bytes || t->bytes > SLOT_TEXT || envelope != slot_envelope(peer->in))
        return quick_take_other(room, t, number, tag, envelope);
    envelope_get(t->data, envelope->text, t->bytes);
    channel_take(room, number, peer, envelope, VERDICT_DONE);
    return QUICK_DONE;
}

enum quick shm_quick_recv(void *state, tensor *t, int peer, int tag, uint32_t site)
{
    (void)site;
    struct shm_room *room = state;
    engine_lock(room);
    return quick_leave(room, quick_recv(room, t, peer, tag));
}
