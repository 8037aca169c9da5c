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
 *   Counts. seq counts modulo 2^30, ack modulo 2^8; they differ by at most one letter, so modulo is enough.
 *   Wanted letters. A send ends when its receive has met it. A blocking receive that finds its lane empty, with nothing else
 *   open, says in its ack for which letter it waits (lane_want); taking a letter, whichever, clears that. So a sender that
 *   finds its own letter wanted knows whom it meets: the next letter is taken by that receive and by nothing
 *   else. A short one, which lies in the lane itself, is sent as soon as it is posted.
 *
 * What the verdict in ack says: DONE, the data was copied; REFUSED, it did not fit the receive that it matched;
 * PARKED, the letter was put aside (or a long copy is under way): the end comes as a stamp on the ticket
 * that the letter named, a word of its own in A's row of tickets, written by B once and then read by A. SHARED is the same,
 * but A may help to copy meanwhile.
 *
 * Why it is quick. A blocking send of a short message, with nothing else open, is the case that all others are measured
 * by, and there every nanosecond is a cache line's way or a pipeline that stands still:
 *   - A wanted letter needs no answer. In a ping-pong each rank says what it waits for just after it has sent its own, on the
 *     same line, one way of it: a message is one way, not two.
 *   - One line for both ways. B's reading brings the line over; its ack and its answer are then written where they are, and
 *     A finds both. With a line for each way it was twice as slow.
 *   - The watcher looks for an answer when it may be there, and not before (rhythm.h), and pauses between two looks
 *     (patience_pause). Each look takes the line away from the one who is about to write.
 *   - The letter is posted before anybody asks whether it is wanted: what a processor guesses wrong there costs no time.
 *   - A watched letter (LANE_WATCHED: nothing waits behind it) is posted and taken with a release store and rung for with
 *     bell_ring_lightly. A seq_cst store would stop the processor until the line has come, once for the letter and once
 *     for the ack. When others come to wait behind it after all, LANE_HURRY tells: whoever takes a letter looks for that
 *     after it has written ack. Its sender's helper, which nobody rings who has not seen it, is started only when all that
 *     was written before such a look has reached memory (helper.c). That is x86; elsewhere there is a fence between ack and
 *     look (bell_fence), and one of the two sees the other at once.
 *   - Nothing is read back, in larger pieces, that was just written (letter_write).
 * The quick way (quick.c) makes the same accesses in the same order as the engine, only without the lists, and it never
 * sleeps: who has looked in vain for a moment joins the list and the engine. So a sleeper has always been in a list, with
 * its note written, and has looked once more after it said so.
 *
 * The model in tests/model/ walks through every interleaving of two ranks with this protocol.
 */
#ifndef SHM_LANE_H
#define SHM_LANE_H

#include "letter.h"
#include "letters.h"

#define LANE_COUNT 0x3fffffffu   /* in seq: how many; */
#define LANE_WATCHED 0x40000000u /* nothing waits behind this letter; */
#define LANE_HURRY 0x80000000u   /* others wait behind it */
#define ACK_VERDICT 3u           /* in ack: enum verdict on the last letter; */
#define ACK_COUNT 0xffu          /* in ack, behind the verdict: how many; */
#define ACK_WANT 10              /* and from this bit on: which letter the receiver waits for (lane_want) */
#define SHARE_BYTES (512 << 10)  /* from here on both ends copy, where both wait (share.c) */
#define DIRECT_BYTES (32 << 10)  /* above this the engine is unlocked while it copies */

/* The mailbox from `src` to `dst`: written by src only. */
struct lane {
    alignas(WORLD_LINE / 2) _Atomic uint32_t seq; /* how many letters src has put in, ever; and LANE_ bits */
    /* Of the lane back: the verdict on its last letter, how many letters of dst src has taken, and what it waits for */
    _Atomic uint32_t ack;
    struct letter letter; /* the seq-th letter */
};
_Static_assert(2 * sizeof(struct lane) == WORLD_LINE, "a lane and its way back are one cache line");

/* Who has ever written to this rank, a bit for each: so it need not look into lanes that nobody uses. */
struct callers {
    alignas(WORLD_LINE) _Atomic uint64_t bits[WORLD_MAX_RANKS / 64];
};

/* Which of the letters to this rank was sent first? A lane has no room to say so, and only a receive from anybody asks. Each that goes the
 * long way draws a number where its receiver counts, and leaves it in `stamps`, a row for each sender, with the count of the letter
 * that it belongs to. A letter without has just come by the quick way: its sender still looks for its answer. */
struct arrivals {
    alignas(WORLD_LINE) _Atomic uint64_t count;
};

/* A letter that came before its receive: the receiver's private copy. */
struct parked {
    struct match match; /* first */
    int src;
    uint64_t arrival;
    struct letter letter;
};

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

/* The other of a pair, between two ranks that are not the same: the way back. */
static inline struct lane *lane_back(struct lane *lane)
{
    return (struct lane *)((uintptr_t)lane ^ sizeof *lane);
}

/* Does this ack count the letter of this seq? */
static inline bool lane_counted(uint32_t seq, uint32_t ack)
{
    return ((seq ^ ack >> 2) & ACK_COUNT) == 0;
}

/* The letter that a receiver waits for, and nothing else, in one number; 0: it cannot be said so shortly. */
static inline uint32_t lane_want(int tag, enum dist_type type, size_t bytes)
{
    return tag >> 14 == 0 && bytes <= LANE_BYTES
               ? ((uint32_t)tag << 4 | (uint32_t)bytes) << 4 | ((uint32_t)type + 1)
               : 0;
}

/* ---- the sender's side -------------------------------------------------------------- */

/* Was the last letter to dst taken? */
static inline bool lane_is_free(struct shm_room *room, int dst)
{
    uint32_t seq = atomic_load_explicit(&lane_between(room, room->rank, dst)->seq, memory_order_relaxed);
    return lane_counted(seq, atomic_load(&lane_between(room, dst, room->rank)->ack));
}

/* The same; if not, the helper is told when it is. */
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

/* The first letter is about to go to dst; and was there one ever? */
void lane_introduce(struct shm_room *room, int dst);
bool lane_wrote_to(const struct shm_room *room, int dst);

/* The letter with this seq is the one that has drawn this number. */
uint64_t lane_draw(struct shm_room *room, int dst);
void lane_stamp(struct shm_room *room, int dst, uint32_t seq, uint64_t number);
static inline uint32_t lane_seq(const struct shm_room *room, int dst)
{
    return atomic_load_explicit(&lane_between(room, room->rank, dst)->seq, memory_order_relaxed);
}

/* Off it goes. */
void lane_post(struct shm_room *room, int dst);

/* ---- the receiver's side ------------------------------------------------------------- */

/* The next rank, from `from` on, that has ever written to this one; the size of the world: none. */
int lane_next_caller(const struct shm_room *room, int from);

/* A letter not yet taken, or NULL. */
static inline const struct letter *lane_peek(struct shm_room *room, int src)
{
    const struct lane *lane = lane_between(room, src, room->rank);
    uint32_t ack = atomic_load_explicit(&lane_between(room, room->rank, src)->ack, memory_order_relaxed);
    return lane_counted(atomic_load(&lane->seq), ack) ? NULL : &lane->letter;
}

/* The number of that letter: the lower, the earlier it was sent. UINT64_MAX: it has none. */
uint64_t lane_arrival(struct shm_room *room, int src);

/* Of all letters in the lanes to this rank, or of those that this receive fits, the one that was sent first. -1: there is none. */
int lane_first(struct shm_room *room, const struct dist_work *op, uint64_t *arrival);

/* It was taken out. Whatever the receiver was waiting for, it does so no more. */
void lane_take_unwatched(struct shm_room *room, int src, uint32_t ack);
static inline void lane_take_from(struct shm_room *room, int src, struct lane *lane, struct lane *back,
                                  enum verdict verdict)
{
    uint32_t taken = (atomic_load_explicit(&back->ack, memory_order_relaxed) >> 2) + 1;
    uint32_t ack = (taken & ACK_COUNT) << 2 | verdict;
    atomic_store_explicit(&back->ack, ack, memory_order_release);
    bell_fence(); /* only then: it may be put off its core for longer than settling takes */
    uint32_t seq = atomic_load_explicit(&lane->seq, memory_order_relaxed);
    if ((seq & (LANE_WATCHED | LANE_HURRY)) == LANE_WATCHED)
        bell_ring_lightly(&slot_of(room, src)->bell);
    else
        lane_take_unwatched(room, src, ack);
}
static inline void lane_take(struct shm_room *room, int src, enum verdict verdict)
{
    lane_take_from(room, src, lane_between(room, src, room->rank), lane_between(room, room->rank, src),
                   verdict);
}

void ticket_stamp(struct shm_room *room, int src, uint32_t ticket, enum verdict verdict);

#endif
