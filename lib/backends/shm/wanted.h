/*
 * wanted.h: messages that need no answer.
 *
 * A send ends when its receive has met it, and most sends learn that from ack: a way there and a way back. But often the receive was there
 * first. One that finds its channel empty, and no other receive that could take from it, says in its ack for what it is (wanted_say); the next ack
 * clears that. So a sender all of whose earlier messages are counted, and that finds the next one wanted, knows whom it meets: that receive takes it,
 * and nothing else. If its data stand in the channel, too, the send is over.
 *
 * Data of more than an envelope holds are copied aside for that, up to STAGE_BYTES, into the stage of the channel: where ranks share cores it saves a
 * switch to the receiver and back. Longer ones would be copied twice for less than that.
 *
 * Why it is right.
 *   Which receive? Count and want are one word: the want is for the message behind those that are counted. No unexpected message fits that receive,
 *   since it looked; no other receive is before it, so the next message that fits is its own; and it is of the type and the size that it asks for.
 *   Who owns the stage? The sender. It writes there when all messages are counted, as into the slot, and the send of the last one that
 *   lay there has ended (peer.staged): one that was set aside is copied after it was counted, and has its ticket stamped then. The receiver reads it
 *   behind seq (acquire), like a tensor.
 *   A rank may leave behind such a send: the stage is in the world's memory, and stays there.
 * The model in tests/model/wanted.c walks through every interleaving.
 */
#ifndef SHM_WANTED_H
#define SHM_WANTED_H

#include "channel.h"

/* The message that a receive waits for, in one number; 0: it cannot be said so shortly. */
static inline uint32_t wanted_word(int tag, int group, enum dist_type type, int64_t count)
{
    uint32_t where = (uint32_t)group << 5 | (uint32_t)tag; /* 3 bits and 5, then 11 and 3 */
    return tag >> 5 == 0 && group >> 3 == 0 && count >> 11 == 0
               ? (where << 11 | (uint32_t)count) << 3 | ((uint32_t)type + 1)
               : 0;
}
_Static_assert(DIST_U8 + 1 < 8, "a want has 3 bits for the type");

static inline void wanted_say(struct peer *peer, uint32_t want)
{
    uint32_t ack = atomic_load_explicit(&peer->out->ack, memory_order_relaxed);
    if (ack >> ACK_WANT != want)
        atomic_store_explicit(&peer->out->ack, (ack & ((1u << ACK_WANT) - 1)) | want << ACK_WANT,
                              memory_order_release);
}

/* Is the message behind those that this ack counts the one with this word? */
static inline bool wanted_by(uint32_t ack, uint32_t word)
{
    return word && ack >> ACK_WANT == word;
}

/* Copy the data of the message that goes into the slot aside. False: there is no room. */
static inline bool wanted_stage(const struct peer *peer, const void *data, size_t bytes)
{
    if (peer->staged || bytes > STAGE_BYTES)
        return false;
    memcpy(peer->stage, data, bytes);
    return true;
}

#endif
