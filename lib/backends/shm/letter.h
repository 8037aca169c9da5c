/* letter.h: what a message says about itself, 24 bytes of its lane; and the message too, where it is short. */
#ifndef SHM_LETTER_H
#define SHM_LETTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANE_BYTES 12 /* a message up to this long travels inside the lane */
#define LANE_FAR 255  /* letter.length of a longer one */

struct letter {
    int32_t tag;
    uint32_t
        origin; /* where it was sent, a call site of the sender; and the sender's ticket, which is stamped if it gets parked */
    uint16_t group; /* the group's id */
    uint8_t type;   /* enum dist_type */
    uint8_t length; /* bytes of `text`, or LANE_FAR */
    union {
        unsigned char text[LANE_BYTES];
        struct {
            uint32_t offset, bytes;           /* where the sender's data lies in the world, and how much; */
            uint16_t offset_high, bytes_high; /* both of 48 bits */
        } far;
    };
};

/* In one word: 10 bits of the site, 22 of the ticket. */
static inline uint32_t letter_origin(uint32_t site, uint32_t ticket)
{
    return ticket << 10 | (site & 1023);
}
static inline uint32_t letter_site(const struct letter *letter)
{
    return letter->origin & 1023;
}
static inline uint32_t letter_ticket(const struct letter *letter)
{
    return letter->origin >> 10;
}

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

/* A letter's text, to and from a tensor, in pieces of 4 bytes and the rest: most often it is one number or two, and calling
 * memcpy takes longer than copying them.
 *
 * What the program has just written may still be on its way to memory. A processor can hand on a store that is on its way
 * to a load that lies within it. A longer load has to wait until all its parts have arrived, behind the ack that waits for its
 * cache line: 30 ns. So what is written into a letter is read in short pieces; and what the program will read is written
 * in long ones. */
static inline void letter_write_piece(char *to, const char *from)
{
    uint32_t piece;
    memcpy(&piece, from, 4);
    __asm__("" : "+r"(piece)); /* else the compiler makes a long piece of two short ones */
    memcpy(to, &piece, 4);
}
static inline void letter_write(void *text, const void *from, size_t bytes)
{
    char *to = text;
    const char *at = from;
    if (bytes == 8) { /* two floats, or one double: without a loop */
        letter_write_piece(to, at);
        letter_write_piece(to + 4, at + 4);
        return;
    }
    for (; bytes >= 4; bytes -= 4, at += 4, to += 4)
        letter_write_piece(to, at);
    for (; bytes > 0; bytes--)
        *(volatile char *)to++ = *at++;
}
static inline void letter_read(void *to, const void *text, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, text, 8);
    else
        letter_write(to, text, bytes);
}

#endif
