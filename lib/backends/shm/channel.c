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
