/*
 * channel.h: messages on their way from one rank to another.
 *
 * A channel is a slot, and behind it a ring of cells. The slots of both directions lie in one cache line:
 *
 *      rank A                                                                  rank B
 *      writes slot A>B: [seq ack | envelope]  |  [seq ack | envelope] slot B>A: writes
 *      reads B>A                                                              reads A>B
 *      writes ring A>B: [seq envelope] [seq envelope] ...                     reads it
 *
 * A counts its messages to B. Number k stands in the slot if all before it are known to be taken, and it is small enough or lies
 * elsewhere; else in cell k modulo RING_CELLS. B looks for the number that comes next in the slot, and, once A has used its
 * ring (SEQ_RING), in the cell. That B has taken it stands in slot B>A, in `ack`: so each word has one writer, and B's answer and B's
 * next message travel together. A page of a ring is touched by nobody who never has two messages under way.
 *
 * Why it is right.
 *   Who owns which word. A's side belongs to A's engine (one thread at a time: its lock), but the verdict in a cell, which B may write
 *   while the message is untaken. What each side counts is private; shared are only the copies in seq and ack.
 *   When may A write? The slot, when ack counts all messages; cell k, when it counts k - RING_CELLS, and the verdict on that one was read
 *   (sends_read_acks): so `known` is brought up to date only there, and where nothing is open. B reads an envelope only until its ack
 *   counts it. So the two are never at it together.
 *   Orders. A writes the envelope, then seq (release). B sees seq (acquire), then reads: it is whole. B reads the envelope, copies the
 *   tensor behind it, writes the verdict, and then ack (release). A sees ack (acquire): B is through with all, so A may overwrite the
 *   envelope, and the program its tensor.
 *   Numbers. A cell's has 64 bits. A slot's has 30: it wraps; so that an old message is not taken for a new one, A rewrites
 *   the slot's number every SLOT_STALE messages. ack has 8, and counts at most RING_CELLS behind.
 *   One ack may count several messages: SEQ_BATCH, or all of a run. It is written before the receiver's engine is unlocked, sleeps
 *   or copies for long. Only an irecv that finds its message, and the next one too, puts it off until after the call: the program will ask for that
 *   one soon, and meanwhile the ack counts as work of its own (shm.owes), which whoever drives does. So nobody waits for one in vain; and a receive
 *   that finds nothing, and says what it wants, does so with all counted. Its verdict is on the last message of the slot, which is read by A
 *   before the slot is used again.
 *   Wake-ups are light (eventcount.h): news is written with release, and a sleeper looks twice.
 *   Progress threads. Waking that of a rank that computes costs two system calls, so a short message does not. A long
 *   one does, since copying it is work that can be done meanwhile; so does an ack while sends wait for a place (SEQ_HURRY). Who sets
 *   that has its progress thread nap once and look again: an ack whose writer has not seen the bit is in memory by then (progress.c).
 *   For all else the rule is: whoever waits for a peer and is through with its back-off notifies that peer's progress thread before it sleeps.
 *   A message that its receiver waits for already needs no answer: wanted.h.
 *   A message that is given up (the job has failed; its receiver has left) stays where it is: nobody takes it out. Its send is in no
 *   list any more, and its ticket is never used again.
 *
 * What a verdict says: DONE, the data was copied; REFUSED, it did not fit the receive that it matched;
 * BY_TICKET, the message was set aside, or is long: it is copied later, and the end comes as a stamp on the ticket
 * that the envelope named, a word of its own in A's row of tickets, written by B once and then read by A. SHARED is the same,
 * but A may help to copy meanwhile. In a cell DONE stands already: the common end writes nothing there.
 *
 * Why it is quick.
 *   - A wanted message needs no answer. In a ping-pong each rank says what it waits for just after it has sent its own, on the
 *     same line, one way of it: a message is one way, not two.
 *   - One line for both slots. B's reading brings the line over; its ack and its answer are then written where they are, and
 *     A finds both. With a line for each way it was twice as slow; with a ring alone as well.
 *   - Many messages under way are a line each, and an ack for SEQ_BATCH of them.
 *   - The watcher looks for an answer when it may be there, and not before (rhythm.h), and pauses between two looks
 *     (backoff_pause). Each look takes the line away from the one who is about to write.
 *   - The message is posted before anybody asks whether it is wanted: what a processor guesses wrong there costs no time.
 *   - Nothing is read back, in larger pieces, that was just written (envelope_put).
 *
 * The model in tests/model/ walks through every interleaving of two ranks with this protocol.
 */
#ifndef SHM_CHANNEL_H
#define SHM_CHANNEL_H

#include "envelope.h"
#include "p2p.h"

#define SEQ_COUNT 0x3fffffffu   /* in a slot's seq: the number of its message; */
#define SEQ_RING 0x40000000u    /* the ring was used; */
#define SEQ_HURRY 0x80000000u   /* sends wait for a place */
#define SEQ_BATCH 16            /* messages of the ring for which one ack serves */
#define SLOT_STALE (1u << 16)   /* messages after which the slot's number is moved along */
#define ACK_VERDICT 3u          /* in ack: enum verdict on the slot's last message; */
#define ACK_COUNT 0xffu         /* behind the verdict: how many were taken; */
#define ACK_WANT 10             /* and from this bit on: which message the receiver waits for (wanted.h) */
#define ACK_BYTES 2048          /* a copy from here on is acknowledged at once */
#define SHARE_BYTES (512 << 10) /* from here on both ends copy, where both wait (share.c) */
#define DIRECT_BYTES (32 << 10) /* above this the engine is unlocked while it copies */

/* Who has ever written to this rank, a bit for each: so it need not look into channels that nobody uses. */
struct callers {
    alignas(WORLD_LINE) _Atomic uint64_t bits[WORLD_MAX_RANKS / 64];
};

/* The order in which messages to this rank were sent, for receives from DIST_ANY_SOURCE. Every send but a quick one takes the next number of
 * its receiver's counter (channel_draw). A cell holds it; of a slot it stands in `stamps[sender][receiver]`, beside its message's number. None:
 * a quick send, which is the newest. */
struct arrivals {
    alignas(WORLD_LINE) _Atomic uint64_t count;
};

/* Where the envelope of a slot stands. (Not as a member: the slot ends before an envelope does.) */
static inline struct envelope *slot_envelope(struct slot *slot)
{
    return (struct envelope *)((uintptr_t)slot + offsetof(struct slot, envelope));
}

/* Slots lie in a triangle: rank 0 with itself, 1 with 0 and itself, 2 with 0, 1 and itself ... So do rings. */
static inline size_t channel_pairs(int ranks)
{
    return (size_t)ranks * ((size_t)ranks + 1) / 2;
}
static inline size_t channel_index(int src, int dst)
{
    int high = src > dst ? src : dst, low = src > dst ? dst : src;
    return 2 * (channel_pairs(high) + (size_t)low) + (src > dst);
}

/* So many stamps are a row: each sender writes lines of its own. */
static inline size_t channel_stamps(int ranks)
{
    const size_t line = WORLD_LINE / sizeof(uint64_t);
    return ((size_t)ranks + line - 1) / line * line;
}

/* A cell's line must come over from the core that used it last, and a row of messages would wait for each. So both ends have the
 * lines of the next cells fetched beforehand; the receiver one nearer, which is most often written already. The sender also those of messages that
 * an ack has counted: their verdicts are read next, one after the other. */
#define WRITE_AHEAD 4
#define READ_AHEAD 2
static inline void channel_fetch_to_write(const struct peer *peer, uint64_t number)
{
    const struct cell *cell = &peer->out_ring[number % RING_CELLS];
#if defined(__x86_64__)
    __asm__ volatile(
        "prefetchw %0"
        :
        : "m"(*cell)); /* the compiler has it only for newer processors; to older ones it is nothing */
#else
    __builtin_prefetch(cell, 1);
#endif
}
static inline void channel_fetch_to_read(const struct peer *peer)
{
    __builtin_prefetch(&peer->in_ring[(peer->taken + READ_AHEAD) % RING_CELLS]);
}

/* ---- the sender's side -------------------------------------------------------------- */

/* See how many were taken; gives the whole of ack. */
static inline uint32_t channel_look(struct peer *peer)
{
    uint32_t ack = atomic_load_explicit(&peer->in->ack, memory_order_acquire);
    peer->known += ((ack >> 2) - (uint32_t)peer->known) & ACK_COUNT;
    return ack;
}

static inline bool channel_is_full(const struct peer *peer)
{
    return peer->sent - peer->known >= RING_CELLS;
}

/* The envelope of the next message, to be filled in; the channel is not full. */
static inline struct envelope *channel_next(struct peer *peer, size_t bytes)
{
    if (peer->known == peer->sent && (bytes <= SLOT_INLINE || bytes > CELL_INLINE))
        return slot_envelope(peer->out);
    return &peer->out_ring[(peer->sent + 1) % RING_CELLS].envelope;
}

static inline uint64_t channel_draw(struct shm_state *shm, int dst)
{
    return atomic_fetch_add_explicit(&shm->arrivals[dst].count, 1, memory_order_relaxed);
}
/* The message is written: publish it (seq), and notify its receiver. `arrival`: the number that it has drawn. */
void channel_publish(struct shm_state *shm, int dst, struct envelope *envelope, size_t bytes,
                     uint64_t arrival);
void channel_note_order(struct shm_state *shm, int dst, uint64_t arrival); /* of the message in the slot */

/* Sends wait for a place, or none does any more: acks notify the progress thread, or not. True: it was not known before. */
bool channel_hurry(struct peer *peer, bool hurry);

/* What became of the message with this number, which was taken. */
static inline enum verdict channel_verdict(const struct peer *peer, uint64_t number)
{
    if (number != peer->slotted)
        return peer->out_ring[number % RING_CELLS].verdict;
    return atomic_load_explicit(&peer->in->ack, memory_order_relaxed) & ACK_VERDICT;
}

/* ---- the receiver's side ------------------------------------------------------------- */

/* The next rank, from `from` on, that has ever written to this one; the size of the world: none. */
int channel_next_caller(const struct shm_state *shm, int from);

/* The next message, not yet taken, or NULL. */
static inline const struct envelope *channel_peek(const struct peer *peer)
{
    uint64_t next = peer->taken + 1;
    uint32_t seq = atomic_load_explicit(&peer->in->seq, memory_order_acquire);
    if (((seq ^ (uint32_t)next) & SEQ_COUNT) == 0)
        return slot_envelope(peer->in);
    if (!(seq & SEQ_RING))
        return NULL;
    const struct cell *cell = &peer->in_ring[next % RING_CELLS];
    return atomic_load_explicit(&cell->seq, memory_order_acquire) == next ? &cell->envelope : NULL;
}

/* Of all messages that come next from somebody, the one that was sent first. -1: there is none. */
int channel_first(const struct shm_state *shm, uint64_t *arrival);
uint64_t channel_arrival(const struct shm_state *shm, int src, const struct envelope *envelope);

/* Tell src what was taken. Whatever the receiver was waiting for, it does so no more. */
static inline void channel_acknowledge(struct shm_state *shm, int src, struct peer *peer)
{
    uint32_t ack = ((uint32_t)peer->taken & ACK_COUNT) << 2 | peer->verdict;
    peer->acked = peer->taken;
    atomic_store_explicit(&peer->out->ack, ack, memory_order_release);
    eventcount_fence(); /* only then: it may be put off its core for longer than settling takes */
    uint32_t seq = atomic_load_explicit(&peer->in->seq, memory_order_relaxed);
    eventcount_notify_lightly(&rank_slot_of(shm, src)->eventcount);
    if (seq & SEQ_HURRY)
        p2p_notify(shm, src);
}

/* The next message was taken. It is acknowledged at once if it was in the slot, or SEQ_BATCH are due; else by channel_flush, at the end of the run. */
static inline void channel_take(struct shm_state *shm, int src, struct peer *peer,
                                const struct envelope *envelope, enum verdict verdict)
{
    struct cell *cell = &peer->in_ring[++peer->taken % RING_CELLS];
    bool in_slot = envelope != &cell->envelope;
    if (in_slot)
        peer->verdict = verdict;
    else if (verdict != VERDICT_DONE)
        cell->verdict = verdict;
    if (in_slot || peer->taken - peer->acked >= SEQ_BATCH)
        channel_acknowledge(shm, src, peer);
}
static inline void channel_flush(struct shm_state *shm, int src, struct peer *peer)
{
    if (peer->taken != peer->acked)
        channel_acknowledge(shm, src, peer);
}
/* The same at the end of a receive; or, if that does not block and another message is there, whoever drives does it, but most often the next one. */
static inline void channel_flush_soon(struct shm_state *shm, int src, struct peer *peer, bool async)
{
    if (!async || peer->taken == peer->acked || !channel_peek(peer)) {
        channel_flush(shm, src, peer);
        return;
    }
    shm->owes = true;
    p2p_busy(shm, peer);
}

#endif
