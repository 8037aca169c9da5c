/*
 * timing.h: how long, how often. Include it first in a file that defines _GNU_SOURCE, which C11 needs for the clock.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_BATCHES = 21 };

/* Microseconds since some moment. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* Calls in one batch: enough of them that the clock does not matter. A function of the size alone, so that all ranks
 * and all libraries do the same. */
static inline int calls_in_batch(long bytes)
{
    long calls = (1 << 22) / (bytes + 2048);
    return calls < 1 ? 1 : (int)calls;
}

static inline int batches_of(long bytes)
{
    return bytes < 1 << 24 ? MOST_BATCHES : 5;
}

/* One result, as bench.sh reads it. */
static inline void tell(const char *name, int ranks, long bytes, double microseconds)
{
    printf("%s %d %ld %.4f\n", name, ranks, bytes, microseconds);
}

#endif
