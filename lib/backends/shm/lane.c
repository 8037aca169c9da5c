/*
 * lane.c: one letter at a time from one rank to another, through one cache line each way.
 *
 *      rank A                                        rank B
 *      writes lane A>B: [seq ack | letter]  ----->   reads it
 *      reads lane B>A                       <-----   writes lane B>A: [seq ack | letter]
 *
 * A's letter number k stands in lane A>B. That B has taken it stands in lane B>A, in `ack`, so a line has one
 * writer, and B's answer and B's next letter travel together: a ping-pong is one line each way.
 *
 * Why it is right.
 *   Who owns which word. Lane A>B belongs to A's engine (one thread at a time: its lock). B only reads.
 *   When may A write the letter? Only while it is free: ack of B>A counts as many letters as seq of A>B. B reads
 *   the letter only while seq is ahead of its own ack. So the two are never at it together.
 *   Orders. A writes the letter, then seq. B sees seq (acquire), then reads the letter: it is whole. B reads the
 *   letter, and copies the tensor behind it, then writes ack. A sees ack (acquire): B is through with both, so
 *   A may overwrite the letter, and the program its tensor.
 *   Wake-ups. seq, ack and tickets are the news of bell.h: written seq_cst, and only then is the bell looked at.
 *   Helpers. Waking the helper of a rank that computes costs two system calls, so a short letter does not. A long
 *   letter does, since copying it is work that can be done meanwhile; so does taking a letter behind which others
 *   wait (the top bit of seq, set seq_cst before a last look at ack, read after ack was written seq_cst). For all else the
 *   rule is: whoever waits for a peer and has lost its patience rings that peer's helper before it sleeps.
 *   Counts. both count modulo 2^30; they differ by at most one, so modulo is enough.
 *
 * What the verdict in ack says: DONE, the data was copied; REFUSED, it did not fit the receive that it matched;
 * PARKED, the letter was put aside (or a long copy is under way): the end comes as a stamp on the ticket
 * that the letter named, a word of its own in A's row of tickets, written by B once and then read by A.
 *
 * The quick ways (send_at_once in sends.c, recv_at_once in recvs.c) add nothing to this. They make the same accesses in the same
 * order, only without the lists, and they never sleep: who has looked in vain for a moment joins the list and the
 * engine. So a sleeper has always been in a list, with its note written, and has looked once more after it said so.
 *
 * The model in tests/model/ walks through every interleaving of two ranks with this protocol.
 */
#include "shm.h"

#include <string.h>

#define COUNT_MASK 0x3fffffffu
#define HURRY 0x80000000u

bool lane_is_free(struct shm_room *room, int dst)
{
    uint32_t seq = atomic_load_explicit(&lane_between(room, room->rank, dst)->seq, memory_order_relaxed);
    uint32_t ack = atomic_load(&lane_between(room, dst, room->rank)->ack);
    return (seq & COUNT_MASK) == ack >> 2;
}

bool lane_frees_soon(struct shm_room *room, int dst)
{
    struct lane *lane = lane_between(room, room->rank, dst);
    if (lane_is_free(room, dst))
        return true;
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    if (!(seq & HURRY))
        atomic_store(&lane->seq, seq | HURRY);
    return (seq & COUNT_MASK) == atomic_load(&lane_between(room, dst, room->rank)->ack) >> 2;
}

enum verdict lane_verdict(struct shm_room *room, int dst)
{
    return atomic_load_explicit(&lane_between(room, dst, room->rank)->ack, memory_order_acquire) & 3;
}

/* The text is most often one number; a call of memcpy takes longer than copying that. */
void lane_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

struct letter *lane_letter(struct shm_room *room, int dst)
{
    return &lane_between(room, room->rank, dst)->letter;
}

void lane_post(struct shm_room *room, int dst)
{
    struct lane *lane = lane_between(room, room->rank, dst);
    const struct letter *letter = &lane->letter;
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    atomic_store(&lane->seq, (seq + 1) & COUNT_MASK);
    if (dst == room->rank)
        return;
    bell_ring(&slot_of(room, dst)->bell);
    if (letter->length == LANE_FAR && letter->far.bytes > DIRECT_BYTES)
        bell_ring(&slot_of(room, dst)->helper);
}

const struct letter *lane_peek(struct shm_room *room, int src)
{
    const struct lane *lane = lane_between(room, src, room->rank);
    uint32_t ack = atomic_load_explicit(&lane_between(room, room->rank, src)->ack, memory_order_relaxed);
    uint32_t seq = atomic_load(&lane->seq);
    return (seq & COUNT_MASK) == ack >> 2 ? NULL : &lane->letter;
}

void lane_take(struct shm_room *room, int src, enum verdict verdict)
{
    struct lane *back = lane_between(room, room->rank, src);
    uint32_t taken = (atomic_load_explicit(&back->ack, memory_order_relaxed) >> 2) + 1;
    atomic_store(&back->ack, (taken & COUNT_MASK) << 2 | verdict);
    if (src == room->rank)
        return;
    bell_ring(&slot_of(room, src)->bell);
    if (atomic_load(&lane_between(room, src, room->rank)->seq) == ((taken & COUNT_MASK) | HURRY))
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
