/*
 * quick.c: the quick way of a short blocking message, for a rank with nothing else open. No op, no lists: what was asked
 * goes into the lane, and out of it. lane.h says why that is right.
 *
 * Nobody sleeps here. Who has looked in vain for a moment, or meets anything unusual, says so; then the call goes the
 * long way, with an op and the engine, from where the quick way stands.
 */
#include "lane.h"
#include "../../devices/host.h"

/* What a short message that is waited for does not need stands apart, so that its own way has no calls in it: it is done in the
 * registers that it finds free. */
#define APART __attribute__((noinline)) static

/* May anybody else look into the lanes meanwhile, or may something wait before us? */
static inline bool busy(const struct shm_room *room, int peer)
{
    return room->open > 0 || peer == room->rank;
}

/* All but the text. */
static inline void address(struct letter *letter, const tensor *t, int tag, uint32_t site, uint32_t ticket)
{
    letter->tag = tag;
    letter->origin = letter_origin(site, ticket);
    letter->group = 0;
    letter->type = (uint8_t)t->type;
    letter->length = (uint8_t)t->bytes;
}

static inline void post(struct shm_room *room, int peer, struct lane *lane)
{
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    atomic_store_explicit(&lane->seq, ((seq + 1) & LANE_COUNT) | LANE_WATCHED, memory_order_release);
    bell_ring_lightly(&slot_of(room, peer)->bell);
}

/* Look for a moment whether the letter was taken, or is waited for after all. */
APART enum quick look(struct shm_room *room, struct lane *lane, uint32_t want)
{
    const struct lane *back = lane_back(lane);
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    rhythm_pause(&room->rhythm);
    for (unsigned looks = room->looks;; looks--) {
        uint32_t ack = atomic_load_explicit(&back->ack, memory_order_acquire);
        bool taken = lane_counted(seq, ack); /* then what it tells of a want is about the next letter */
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

/* A letter that lies elsewhere. */
APART enum quick send_far(struct shm_room *room, const tensor *t, int peer, int tag, uint32_t site)
{
    struct lane *lane = room->to[peer];
    address(&lane->letter, t, tag, site, room->spare);
    letter_point(&lane->letter, world_offset(room->world, t->data), t->bytes);
    post(room, peer, lane);
    return look(room, lane, 0);
}

static inline enum quick quick_send(struct shm_room *room, const tensor *t, int peer, int tag, uint32_t site)
{
    struct lane *lane = room->to[peer];
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    uint32_t ack = atomic_load_explicit(&lane_back(lane)->ack, memory_order_acquire);
    if (busy(room, peer) || !lane_counted(seq, ack) || room->eager_bytes || room->spare == NO_TICKET ||
        seq == 0 || t->bytes > DIRECT_BYTES) /* lane_introduce comes first */
        return QUICK_NOT;
    if (t->bytes > LANE_BYTES)
        return send_far(room, t, peer, tag, site);
    address(&lane->letter, t, tag, site, room->spare);
    letter_write(lane->letter.text, t->data, t->bytes);
    post(room, peer, lane);
    uint32_t want = lane_want(tag, t->type, t->bytes);
    return want && ack >> ACK_WANT == want ? QUICK_DONE : look(room, lane, want);
}

/* Where it was begun, no other thread comes in between until the op goes on. */
static inline enum quick leave(struct shm_room *room, enum quick went)
{
    if (went != QUICK_BEGUN)
        solitude_leave(&room->self->alone);
    return went;
}

enum quick shm_quick_send(void *state, const tensor *t, int peer, int tag, uint32_t site)
{
    struct shm_room *room = state;
    if (!solitude_enter(&room->self->alone))
        return QUICK_NOT;
    return leave(room, quick_send(room, t, peer, tag, site));
}

/* Anything but one or two numbers. */
APART enum quick take_other(struct shm_room *room, tensor *t, int peer, int tag)
{
    struct lane *back = room->to[peer], *lane = lane_back(back);
    const struct letter *letter = &lane->letter;
    if (letter->tag != tag || letter->group != 0 || letter->type != (uint8_t)t->type ||
        letter_bytes(letter) != t->bytes)
        return QUICK_NOT;
    if (letter->length != LANE_FAR)
        letter_read(t->data, letter->text, t->bytes);
    else
        host_copy(t->data, world_at(room->world, letter_offset(letter)), t->bytes);
    lane_take_from(room, peer, lane, back, VERDICT_DONE);
    return QUICK_DONE;
}

/* Nothing has come yet: say what is wanted, and look for a moment. */
static inline bool await(struct shm_room *room, struct lane *lane, struct lane *back, uint32_t ack,
                         uint32_t want)
{
    uint32_t says = (ack & ((1u << ACK_WANT) - 1)) | want << ACK_WANT;
    atomic_store_explicit(&back->ack, says, memory_order_release);
    rhythm_pause(&room->rhythm);
    for (unsigned looks = room->looks; looks > 0; looks--) {
        if (!lane_counted(atomic_load_explicit(&lane->seq, memory_order_acquire), ack)) {
            rhythm_learn(&room->rhythm, looks != room->looks);
            return true;
        }
        patience_pause();
    }
    return false;
}

static inline enum quick quick_recv(struct shm_room *room, tensor *t, int peer, int tag)
{
    struct lane *back = room->to[peer], *lane = lane_back(back);
    uint32_t ack = atomic_load_explicit(&back->ack, memory_order_relaxed);
    if (busy(room, peer) || room->parked.count > 0 || t->bytes > DIRECT_BYTES)
        return QUICK_NOT;
    if (lane_counted(atomic_load_explicit(&lane->seq, memory_order_acquire), ack) &&
        !await(room, lane, back, ack, lane_want(tag, t->type, t->bytes)))
        return QUICK_BEGUN; /* it has said what it wants */
    const struct letter *letter = &lane->letter;
    if (letter->tag != tag || letter->group != 0 || letter->type != (uint8_t)t->type ||
        letter->length != t->bytes || t->bytes > LANE_BYTES)
        return take_other(room, t, peer, tag);
    letter_read(t->data, letter->text, t->bytes);
    lane_take_from(room, peer, lane, back, VERDICT_DONE);
    return QUICK_DONE;
}

enum quick shm_quick_recv(void *state, tensor *t, int peer, int tag, uint32_t site)
{
    (void)site;
    struct shm_room *room = state;
    if (!solitude_enter(&room->self->alone))
        return QUICK_NOT;
    return leave(room, quick_recv(room, t, peer, tag));
}
