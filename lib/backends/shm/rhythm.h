/*
 * rhythm.h: when to look for an answer.
 *
 * Two ranks that talk to each other by way of one cache line write to it, and look at it. A look that comes too soon takes
 * the line away from the one who is about to write, who must then fetch it back: two ways of the line, for nothing. A look
 * that comes late is time lost. How soon an answer comes depends on what the other does before it answers, and on the
 * machine: 40 to 80 ns in a ping-pong. So it is learned. Who finds nothing at the first look waits a little longer the
 * next time, who finds something a little shorter; five such steps outweigh one of the others, so one first look in six is in
 * vain. (More of them, or fewer: slower. tests/bench/NOTES.md)
 */
#ifndef SHM_RHYTHM_H
#define SHM_RHYTHM_H

#include <stdbool.h>

#define RHYTHM_LONGER 5
#define RHYTHM_MOST 400 /* an answer that takes longer than this is none that one should stand still for */

/* Turns are those of an empty loop: a pause instruction takes as long as ten of them, or a hundred. */
struct rhythm {
    unsigned turns; /* before the first look */
    unsigned most;  /* 0: ranks share cores, so whoever waits must look at once and go */
};

static inline void rhythm_pause(const struct rhythm *rhythm)
{
    for (unsigned turns = rhythm->turns; turns > 0; turns--)
        __asm__ volatile("" : "+r"(turns)); /* else the compiler sees that the loop does nothing */
}

static inline void rhythm_learn(struct rhythm *rhythm, bool in_vain)
{
    if (!in_vain)
        rhythm->turns -= rhythm->turns > 0;
    else if (rhythm->turns < rhythm->most)
        rhythm->turns += RHYTHM_LONGER;
}

#endif
