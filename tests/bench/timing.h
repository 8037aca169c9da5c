/*
 * timing.h: the clock, the median, and the line in which every program of the bench tells a result. Include it first in a
 * file that defines _GNU_SOURCE, which C11 needs for the clock.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* How a program says that what it was asked for cannot be measured with it; bench.sh then leaves it out. */
enum { EXIT_HAS_NOT = 77 };

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

/* Sorts the values. */
static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* One result, as bench.sh reads it. */
static inline void tell(const char *name, int ranks, long bytes, double value, const char *unit)
{
    printf("%s %d %ld %.4f %s\n", name, ranks, bytes, value, unit);
    fflush(stdout);
}

#endif
