/* envelope.h: what a message says about itself, and the message too, where it is short. */
#ifndef SHM_ENVELOPE_H
#define SHM_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SLOT_INLINE 12            /* a message up to this long travels in the envelope of a slot, */
#define CELL_INLINE 32            /* up to this long in that of a cell */
#define ENVELOPE_BY_REFERENCE 255 /* envelope.length, where the data are not in it */

struct envelope {
    int32_t tag;
    uint32_t
        origin; /* where it was sent, a call site of the sender; and the sender's ticket, which is stamped if it is set aside */
    uint16_t group; /* the group's id */
    uint8_t type;   /* enum dist_type */
    uint8_t length; /* bytes of `data`, or ENVELOPE_BY_REFERENCE */
    union {
        unsigned char data[CELL_INLINE]; /* in a slot only the first SLOT_INLINE are there */
        struct {
            uint32_t offset, bytes;           /* where the sender's data lies in the world, and how much; */
            uint16_t offset_high, bytes_high; /* both of 48 bits */
        } reference;
    };
};

/* In one word: 10 bits of the site, 22 of the ticket. */
static inline uint32_t envelope_origin(uint32_t site, uint32_t ticket)
{
    return ticket << 10 | (site & 1023);
}
static inline uint32_t envelope_site(const struct envelope *envelope)
{
    return envelope->origin & 1023;
}
static inline uint32_t envelope_ticket(const struct envelope *envelope)
{
    return envelope->origin >> 10;
}

/* Copy all of it that is there: as much as a slot holds, and more only if that says so. (In two known lengths: for one that it does not know the
 * compiler takes an instruction that needs longer to begin than both.) */
static inline void envelope_copy(struct envelope *to, const struct envelope *from)
{
    const size_t in_slot = offsetof(struct envelope, data) + SLOT_INLINE;
    memcpy(to, from, in_slot);
    if (from->length > SLOT_INLINE && from->length != ENVELOPE_BY_REFERENCE)
        memcpy((char *)to + in_slot, (const char *)from + in_slot, sizeof *to - in_slot);
}
_Static_assert(sizeof((struct envelope *)0)->reference <= SLOT_INLINE, "a slot's envelope holds a reference");

static inline size_t envelope_bytes(const struct envelope *envelope)
{
    return envelope->length != ENVELOPE_BY_REFERENCE
               ? envelope->length
               : (size_t)envelope->reference.bytes_high << 32 | envelope->reference.bytes;
}

static inline uint64_t envelope_offset(const struct envelope *envelope)
{
    return (uint64_t)envelope->reference.offset_high << 32 | envelope->reference.offset;
}

static inline void envelope_point(struct envelope *envelope, uint64_t offset, size_t bytes)
{
    envelope->length = ENVELOPE_BY_REFERENCE;
    envelope->reference.offset = (uint32_t)offset;
    envelope->reference.offset_high = (uint16_t)(offset >> 32);
    envelope->reference.bytes = (uint32_t)bytes;
    envelope->reference.bytes_high = (uint16_t)(bytes >> 32);
}

/* Inline data, to and from a tensor, in pieces of 4 bytes and the rest: most often it is one number or two, and calling
 * memcpy takes longer than copying them.
 *
 * What the program has just written may still be on its way to memory. A processor can hand on a store that is on its way
 * to a load that lies within it. A longer load has to wait until all its parts have arrived, behind the ack that waits for its
 * cache line: 30 ns. So what is written into an envelope is read in short pieces; and what the program will read is written
 * in long ones. */
static inline void envelope_put_piece(char *to, const char *from)
{
    uint32_t piece;
    memcpy(&piece, from, 4);
    __asm__("" : "+r"(piece)); /* else the compiler makes a long piece of two short ones */
    memcpy(to, &piece, 4);
}
static inline void envelope_put(void *data, const void *from, size_t bytes)
{
    char *to = data;
    const char *at = from;
    if (bytes == 8) { /* two floats, or one double: without a loop */
        envelope_put_piece(to, at);
        envelope_put_piece(to + 4, at + 4);
        return;
    }
    for (; bytes >= 4; bytes -= 4, at += 4, to += 4)
        envelope_put_piece(to, at);
    for (; bytes > 0; bytes--)
        *(volatile char *)to++ = *at++;
}
static inline void envelope_get(void *to, const void *data, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, data, 8);
    else
        envelope_put(to, data, bytes);
}

#endif
