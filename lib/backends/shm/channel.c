/* channel.c: what is more than a few words to read or write. */
#include "channel.h"

int channel_next_caller(const struct shm_state *shm, int from)
{
    while (from < shm->size) {
        uint64_t bits = atomic_load(&shm->callers[shm->rank].bits[from / 64]) >> from % 64;
        if (bits & 1)
            return from;
        from = bits ? from + 1 : (from / 64 + 1) * 64;
    }
    return shm->size;
}

static _Atomic uint64_t *channel_stamp_of(const struct shm_state *shm, int src, int dst)
{
    return &shm->stamps[(size_t)src * channel_stamps(shm->size) + (size_t)dst];
}

void channel_note_order(struct shm_state *shm, int dst, uint64_t arrival)
{
    uint64_t stamp = arrival << 30 | (shm->peers[dst].slotted & SEQ_COUNT);
    atomic_store_explicit(channel_stamp_of(shm, shm->rank, dst), stamp, memory_order_relaxed);
}

uint64_t channel_arrival(const struct shm_state *shm, int src, const struct envelope *envelope)
{
    const struct peer *peer = &shm->peers[src];
    uint64_t next = peer->taken + 1;
    const struct cell *cell = &peer->in_ring[next % RING_CELLS];
    if (envelope == &cell->envelope)
        return cell->arrival;
    uint64_t stamp = atomic_load_explicit(channel_stamp_of(shm, src, shm->rank), memory_order_relaxed);
    return ((stamp ^ next) & SEQ_COUNT) == 0 ? stamp >> 30 : UINT64_MAX;
}

int channel_first(const struct shm_state *shm, uint64_t *arrival)
{
    int first = -1;
    for (int src = channel_next_caller(shm, 0); src < shm->size; src = channel_next_caller(shm, src + 1)) {
        const struct envelope *envelope = channel_peek(&shm->peers[src]);
        uint64_t number = envelope ? channel_arrival(shm, src, envelope) : 0;
        if (envelope && (first < 0 || number < *arrival)) {
            first = src;
            *arrival = number;
        }
    }
    return first;
}

bool channel_hurry(struct peer *peer, bool hurry)
{
    uint32_t seq = atomic_load_explicit(&peer->out->seq, memory_order_relaxed);
    if (hurry == !!(seq & SEQ_HURRY))
        return false;
    atomic_store(&peer->out->seq, seq ^ SEQ_HURRY);
    return hurry;
}

/* Into its cell; and the slot must say that there are such, and nothing that is old enough to be taken for new. */
static void channel_publish_cell(struct peer *peer, struct cell *cell, uint64_t arrival)
{
    uint32_t seq = atomic_load_explicit(&peer->out->seq, memory_order_relaxed);
    cell->arrival = arrival;
    cell->verdict = VERDICT_DONE;
    atomic_store_explicit(&cell->seq, peer->sent, memory_order_release);
    channel_fetch_to_write(peer, peer->sent + WRITE_AHEAD);
    if (peer->sent - peer->slotted >= SLOT_STALE) {
        peer->slotted = peer->sent - RING_CELLS;
        seq = ((uint32_t)peer->slotted & SEQ_COUNT) | (seq & SEQ_HURRY);
    }
    if (!(seq & SEQ_RING))
        atomic_store_explicit(&peer->out->seq, seq | SEQ_RING, memory_order_release);
}

void channel_publish(struct shm_state *shm, int dst, struct envelope *envelope, size_t bytes,
                     uint64_t arrival)
{
    struct peer *peer = &shm->peers[dst];
    struct cell *cell = &peer->out_ring[++peer->sent % RING_CELLS];
    if (peer->sent == 1)
        atomic_fetch_or(&shm->callers[dst].bits[shm->rank / 64], UINT64_C(1) << shm->rank % 64);
    if (envelope == &cell->envelope) {
        channel_publish_cell(peer, cell, arrival);
    } else {
        uint32_t ring = atomic_load_explicit(&peer->out->seq, memory_order_relaxed) & SEQ_RING;
        peer->slotted = peer->sent;
        channel_note_order(shm, dst, arrival);
        atomic_store_explicit(&peer->out->seq, ((uint32_t)peer->sent & SEQ_COUNT) | ring,
                              memory_order_release);
    }
    eventcount_notify_lightly(&rank_slot_of(shm, dst)->eventcount);
    if (bytes > DIRECT_BYTES)
        p2p_notify(shm, dst);
}
