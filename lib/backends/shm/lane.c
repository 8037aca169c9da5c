/* lane.c: the ways of letters that nobody watches: somebody may sleep, or compute, at either end. */
#include "lane.h"

void lane_introduce(struct shm_room *room, int dst)
{
    atomic_fetch_or(&room->callers[dst].bits[room->rank / 64], UINT64_C(1) << room->rank % 64);
}

bool lane_wrote_to(const struct shm_room *room, int dst)
{
    return atomic_load(&room->callers[dst].bits[room->rank / 64]) >> room->rank % 64 & 1;
}

int lane_next_caller(const struct shm_room *room, int from)
{
    while (from < room->size) {
        uint64_t bits = atomic_load(&room->callers[room->rank].bits[from / 64]) >> from % 64;
        if (bits & 1)
            return from;
        from = bits ? from + 1 : (from / 64 + 1) * 64;
    }
    return room->size;
}

bool lane_frees_soon(struct shm_room *room, int dst)
{
    struct lane *lane = lane_between(room, room->rank, dst);
    if (lane_is_free(room, dst))
        return true;
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    if (!(seq & LANE_HURRY))
        atomic_store(&lane->seq, seq | LANE_HURRY);
    return lane_counted(seq, atomic_load(&lane_between(room, dst, room->rank)->ack));
}

void lane_post(struct shm_room *room, int dst)
{
    struct lane *lane = lane_between(room, room->rank, dst);
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    if (seq == 0)
        lane_introduce(room, dst);
    atomic_store(&lane->seq, (seq + 1) & LANE_COUNT);
    if (dst == room->rank)
        return;
    bell_ring(&slot_of(room, dst)->bell);
    if (letter_bytes(&lane->letter) > DIRECT_BYTES)
        bell_ring(&slot_of(room, dst)->helper);
}

void lane_take_unwatched(struct shm_room *room, int src, uint32_t ack)
{
    atomic_store(&lane_between(room, room->rank, src)->ack, ack);
    if (src == room->rank)
        return;
    bell_ring(&slot_of(room, src)->bell);
    uint32_t seq = atomic_load(&lane_between(room, src, room->rank)->seq);
    if ((seq & LANE_HURRY) && lane_counted(seq, ack))
        bell_ring(&slot_of(room, src)->helper);
}

void ticket_stamp(struct shm_room *room, int src, uint16_t ticket, enum verdict verdict)
{
    if (ticket == NO_TICKET)
        return;
    atomic_store(&room->tickets[(size_t)src * TICKETS + ticket], verdict);
    if (src != room->rank)
        bell_ring(&slot_of(room, src)->bell);
}
