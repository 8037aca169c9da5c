/* patterns.h: what the patterns of patterns.c and peers_at_once.c share. */
#ifndef BENCH_PATTERNS_H
#define BENCH_PATTERNS_H

#include "bench.h"

enum { WINDOW = 64, BURST = 8 };

struct pattern {
    struct buffer whole, cells[WINDOW], answer;
    side_request requests[2 * WINDOW];
};

/* The k-th cell's two ends, in this turn and from this rank. */
static inline float mark(int turn, int k, int from)
{
    return (float)((turn & 1023) * 64 + k + 70000 * from);
}

static inline void set(struct buffer *cell, float value)
{
    cell->x[0] = cell->x[cell->count - 1] = value;
}

static inline void see(struct job *job, const struct buffer *cell, float value)
{
    if (cell->x[0] != value || cell->x[cell->count - 1] != value)
        wrong(job, "an end", cell->x[0] != value ? cell->x[0] : cell->x[cell->count - 1], value);
}

/* peers_at_once.c */
timed_call anybody, exchange, shift, halo;

#endif
