/* limits.h: two processes that share memory, and no library. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

enum { MOST_LIMIT_RANKS = 8 };

/* What both processes see. Each word has a line of its own, and a second one that the processor may fetch along. */
struct shared {
    alignas(128) _Atomic uint32_t turn;          /* written by both, one after the other */
    alignas(128) _Atomic uint32_t asleep;        /* the futex's */
    alignas(128) _Atomic uint32_t here[2][32];   /* here[me][0]: how often process `me` has arrived */
    alignas(128) _Atomic uint64_t letter[2][16]; /* letter[me][0]: a number and a float, written at once */
    char *buffer[MOST_LIMIT_RANKS];              /* the ranks' tensors */
};

extern struct shared *shared;
extern int me;              /* 0 or 1 */
extern uint32_t turns_over; /* what shared->turn is between two measurements: both know it */

/* What is measured: so many times, for tensors of so many bytes on so many ranks. Both processes call it. */
typedef void limit_work(long bytes, int times, int ranks);

void meet(void);

/* limits_words.c */
limit_work bounce, yield_and_back, sleep_and_wake, swap_letters;

/* limits_memory.c */
limit_work copy_and_back, stream_and_back, reduce_all;
limit_work broadcast_plain, broadcast_stream, gather_plain, gather_stream, exchange_plain, exchange_stream;

#endif
