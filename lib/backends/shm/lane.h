/*
 * lane.h: one letter at a time from one rank to another. Two ranks share one cache line: both their lanes.
 *
 *      rank A                                                              rank B
 *      writes lane A>B: [seq ack | letter]  |  [seq ack | letter] lane B>A: writes
 *      reads B>A                                                          reads A>B
 *
 * A's letter number k stands in lane A>B. That B has taken it stands in lane B>A, in `ack`, so each word has one writer, and
 * B's answer and B's next letter travel together.
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
 * that the letter named, a word of its own in A's row of tickets, written by B once and then read by A. SHARED is the same,
 * but A may help to copy meanwhile.
 *
 * Why it is quick. A blocking send of a short message, with nothing else open, is the case that all others are measured
 * by, and there every nanosecond is a cache line's way or a pipeline that stands still:
 *   - One line for both ways. B's reading brings the line over; its ack and its answer are then written where they are, and
 *     A finds both. With a line for each way it was twice as slow.
 *   - The watcher pauses between two looks (patience_pause). Each look takes the line away from the one who is about to write.
 *   - A watched letter (LANE_WATCHED: its sender does nothing but wait for it, and nothing waits behind it) is posted and taken
 *     with a release store and rung for with bell_ring_lightly. A seq_cst store would stop the processor until the line has
 *     come, once for the letter and once for the ack.
 * The quick ways (send_at_once in sends.c, recv_at_once in recvs.c) make the same accesses in the same order as the engine, only
 * without the lists, and they never sleep: who has looked in vain for a moment joins the list and the
 * engine. So a sleeper has always been in a list, with its note written, and has looked once more after it said so.
 *
 * The model in tests/model/ walks through every interleaving of two ranks with this protocol.
 */
#ifndef SHM_LANE_H
#define SHM_LANE_H

#include "shm.h"

#include <string.h>

#define LANE_BYTES 12            /* a message up to this long travels inside the lane */
#define LANE_FAR 255             /* letter.length of a longer one */
#define LANE_COUNT 0x3fffffffu   /* in seq: how many; */
#define LANE_WATCHED 0x40000000u /* the sender waits for this one letter; */
#define LANE_HURRY 0x80000000u   /* others wait behind it */
#define SHARE_BYTES (512 << 10)  /* from here on both ends copy, where both wait (share.c) */
#define DIRECT_BYTES (32 << 10)  /* above this the engine is unlocked while it copies */

/* What a message says about itself: the message too, where it is short, else where it lies. */
struct letter {
    int32_t tag;
    uint16_t group;  /* the group's id */
    uint16_t site;   /* where it was sent: a call site of the sender */
    uint16_t ticket; /* the sender's ticket to be stamped if the letter gets parked */
    uint8_t type;    /* enum dist_type */
    uint8_t length;  /* bytes of `text`, or LANE_FAR */
    union {
        unsigned char text[LANE_BYTES];
        struct {
            uint32_t offset, bytes;           /* where the sender's data lies in the world, and how much; */
            uint16_t offset_high, bytes_high; /* both of 48 bits */
        } far;
    };
};

/* The mailbox from `src` to `dst`: written by src only. */
struct lane {
    alignas(WORLD_LINE / 2) _Atomic uint32_t seq; /* how many letters src has put in, ever; and LANE_ bits */
    _Atomic uint32_t
        ack; /* how many letters of dst src has taken out of the lane back, << 2, | verdict on the last */
    struct letter letter; /* the seq-th letter */
};
_Static_assert(2 * sizeof(struct lane) == WORLD_LINE, "a lane and its way back are one cache line");

/* Who has ever written to this rank, a bit for each: so it need not look into lanes that nobody uses. */
struct callers {
    alignas(WORLD_LINE) _Atomic uint64_t bits[WORLD_MAX_RANKS / 64];
};

/* A letter that came before its receive: the receiver's private copy. */
struct parked {
    int src;
    struct letter letter;
    struct parked *next;
};

static inline size_t letter_bytes(const struct letter *letter)
{
    return letter->length != LANE_FAR ? letter->length
                                      : (size_t)letter->far.bytes_high << 32 | letter->far.bytes;
}

static inline uint64_t letter_offset(const struct letter *letter)
{
    return (uint64_t)letter->far.offset_high << 32 | letter->far.offset;
}

static inline void letter_point(struct letter *letter, uint64_t offset, size_t bytes)
{
    letter->length = LANE_FAR;
    letter->far.offset = (uint32_t)offset;
    letter->far.offset_high = (uint16_t)(offset >> 32);
    letter->far.bytes = (uint32_t)bytes;
    letter->far.bytes_high = (uint16_t)(bytes >> 32);
}

/* A letter's text: most often one number, and calling memcpy takes longer than copying that. */
static inline void lane_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

/* Pairs lie in a triangle: rank 0 with itself, 1 with 0 and itself, 2 with 0, 1 and itself ... */
static inline size_t lane_pairs(int ranks)
{
    return (size_t)ranks * ((size_t)ranks + 1) / 2;
}

static inline struct lane *lane_between(const struct shm_room *room, int src, int dst)
{
    int high = src > dst ? src : dst, low = src > dst ? dst : src;
    return &room->lanes[2 * (lane_pairs(high) + (size_t)low) + (src > dst)];
}

/* ---- the sender's side -------------------------------------------------------------- */

/* Was the last letter to dst taken? */
static inline bool lane_is_free(struct shm_room *room, int dst)
{
    uint32_t seq = atomic_load_explicit(&lane_between(room, room->rank, dst)->seq, memory_order_relaxed);
    uint32_t ack = atomic_load(&lane_between(room, dst, room->rank)->ack);
    return (seq & LANE_COUNT) == ack >> 2;
}

/* The same, but if not, the helper is told when it is. */
bool lane_frees_soon(struct shm_room *room, int dst);

/* What became of that letter. */
static inline enum verdict lane_verdict(struct shm_room *room, int dst)
{
    return atomic_load_explicit(&lane_between(room, dst, room->rank)->ack, memory_order_acquire) & 3;
}

/* The letter to be filled in: the lane must be free. */
static inline struct letter *lane_letter(struct shm_room *room, int dst)
{
    return &lane_between(room, room->rank, dst)->letter;
}

/* The first letter is about to go to dst. */
void lane_introduce(struct shm_room *room, int dst);

/* Off it goes. */
void lane_post(struct shm_room *room, int dst);
static inline void lane_post_watched(struct shm_room *room, int dst)
{
    struct lane *lane = lane_between(room, room->rank, dst);
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    if (seq == 0)
        lane_introduce(room, dst);
    atomic_store_explicit(&lane->seq, ((seq + 1) & LANE_COUNT) | LANE_WATCHED, memory_order_release);
    bell_ring_lightly(&slot_of(room, dst)->bell);
}

/* ---- the receiver's side ------------------------------------------------------------- */

/* The next rank, from `from` on, that has ever written to this one; the size of the world: none. */
int lane_next_caller(const struct shm_room *room, int from);

/* A letter not yet taken, or NULL. */
static inline const struct letter *lane_peek(struct shm_room *room, int src)
{
    const struct lane *lane = lane_between(room, src, room->rank);
    uint32_t ack = atomic_load_explicit(&lane_between(room, room->rank, src)->ack, memory_order_relaxed);
    uint32_t seq = atomic_load(&lane->seq);
    return (seq & LANE_COUNT) == ack >> 2 ? NULL : &lane->letter;
}

void lane_take_unwatched(struct shm_room *room, int src, uint32_t ack);
static inline void lane_take(struct shm_room *room, int src, enum verdict verdict)
{
    struct lane *back = lane_between(room, room->rank, src);
    uint32_t taken = (atomic_load_explicit(&back->ack, memory_order_relaxed) >> 2) + 1;
    uint32_t ack = (taken & LANE_COUNT) << 2 | verdict;
    uint32_t seq = atomic_load_explicit(&lane_between(room, src, room->rank)->seq, memory_order_relaxed);
    if (seq & LANE_WATCHED) {
        atomic_store_explicit(&back->ack, ack, memory_order_release);
        bell_ring_lightly(&slot_of(room, src)->bell);
    } else {
        lane_take_unwatched(room, src, ack);
    }
}

void ticket_stamp(struct shm_room *room, int src, uint16_t ticket, enum verdict verdict);

#endif
