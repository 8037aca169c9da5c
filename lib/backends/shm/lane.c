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

uint64_t lane_draw(struct shm_room *room, int dst)
{
    return atomic_fetch_add_explicit(&room->arrivals[dst].count, 1, memory_order_relaxed);
}

void lane_stamp(struct shm_room *room, int dst, uint32_t seq, uint64_t number)
{
    uint64_t stamp = number << 30 | (seq & LANE_COUNT);
    atomic_store_explicit(&room->stamps[(size_t)room->rank * (size_t)room->size + (size_t)dst], stamp,
                          memory_order_relaxed);
}

uint64_t lane_arrival(struct shm_room *room, int src)
{
    uint64_t stamp = atomic_load_explicit(
        &room->stamps[(size_t)src * (size_t)room->size + (size_t)room->rank], memory_order_relaxed);
    uint32_t seq = atomic_load_explicit(&lane_between(room, src, room->rank)->seq, memory_order_relaxed);
    return ((stamp ^ seq) & LANE_COUNT) == 0 ? stamp >> 30 : UINT64_MAX;
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

void ticket_stamp(struct shm_room *room, int src, uint32_t ticket, enum verdict verdict)
{
    if (ticket == NO_TICKET)
        return;
    atomic_store(&room->tickets[(size_t)src * TICKETS + ticket], verdict);
    if (src != room->rank)
        bell_ring(&slot_of(room, src)->bell);
}

int lane_first(struct shm_room *room, const struct dist_work *op, uint64_t *arrival)
{
    int first = -1;
    for (int src = lane_next_caller(room, 0); src < room->size; src = lane_next_caller(room, src + 1)) {
        const struct letter *letter = lane_peek(room, src);
        if (!letter || (op && (letter->group != (uint16_t)op->group->id || letter->tag != op->tag)))
            continue;
        uint64_t number = lane_arrival(room, src);
        if (first < 0 || number < *arrival) {
            first = src;
            *arrival = number;
        }
    }
    return first;
}
