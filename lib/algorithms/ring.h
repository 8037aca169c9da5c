/* ring.h: who is next, and which block is whose. Pure arithmetic: no memory, no message. */
#ifndef ALGORITHMS_RING_H
#define ALGORITHMS_RING_H

#include <stdint.h>

/* Elements begin .. begin + count - 1 of a tensor. */
struct block {
    int64_t begin;
    int64_t count;
};

/* i counted round a circle of n: -1 is the last, n the first. */
static inline int ring_turn(int i, int n)
{
    return (i % n + n) % n;
}

static inline int ring_next(int rank, int n)
{
    return ring_turn(rank + 1, n);
}

static inline int ring_previous(int rank, int n)
{
    return ring_turn(rank - 1, n);
}

/* Block i of `count` elements cut into n: as even as can be, the first ones are longer by one where need be. */
static inline struct block ring_block(int64_t count, int n, int i)
{
    int64_t at = ring_turn(i, n), each = count / n, longer = count % n;
    return (struct block){ at * each + (at < longer ? at : longer), each + (at < longer ? 1 : 0) };
}

/* The largest power of two that is not above n, and how often it can be halved: 2 and 1 for 3, 4 and 2 for 4 to 7. */
static inline int ring_power(int n)
{
    int power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

#endif
