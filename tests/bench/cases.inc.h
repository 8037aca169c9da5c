/*
 * cases.inc.h: what is measured, for every library in the same way. A side (bench_dist.c, bench_mpi.c) provides the calls
 * below and then runs the cases. Code in a header, because each side is built by the compiler of its library.
 *
 * Rank 0 prints a line for each case: name, ranks, bytes, median microseconds. A message's time is half of its
 * round trip. Data changes with every message and results are checked: a library that moves nothing would
 * be very fast.
 */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "timing.h"

struct side_buffer; /* `count` floats, in the memory that this library likes best */

static struct side_buffer *side_new(long count);
static void side_free(struct side_buffer *buffer);
static float *side_data(struct side_buffer *buffer);
static void side_send(struct side_buffer *buffer, int to);
static void side_recv(struct side_buffer *buffer, int from);
static void side_all_reduce(struct side_buffer *buffer);
static void side_barrier(void);

static void wrong(const char *what, double got, double wanted)
{
    fprintf(stderr, "%s: got %g, not %g\n", what, got, wanted);
    exit(1);
}

/* There and back again; the other side changes the message, and sends what it has received. */
static void round_trip(struct side_buffer *buffer, long count, int rank, float value)
{
    float *x = side_data(buffer);
    if (rank == 0) {
        x[0] = x[count - 1] = value;
        side_send(buffer, 1);
        side_recv(buffer, 1);
        if (x[0] != value + 1 || x[count - 1] != value + 1)
            wrong("ping", x[0], value + 1);
    } else {
        side_recv(buffer, 0);
        x[0] = value + 1;
        x[count - 1] = value + 1;
        side_send(buffer, 0);
    }
}

/* Only the ends are set anew each time: the sum of zeros stays zero, so nothing overflows. */
static void one_all_reduce(struct side_buffer *buffer, long count, int rank, int size, float value)
{
    float *x = side_data(buffer);
    float sum = (float)size * value + (float)(size * (size - 1) / 2);
    x[0] = x[count - 1] = value + (float)rank;
    side_all_reduce(buffer);
    if (x[0] != sum || x[count - 1] != sum)
        wrong("all_reduce", x[0], sum);
}

enum bench_case { PING, BARRIER, ALL_REDUCE };

static void batch(enum bench_case what, struct side_buffer *buffer, long count, int rank, int size, int calls)
{
    for (int i = 0; i < calls; i++) {
        float value = (float)(i % 1000);
        if (what == PING)
            round_trip(buffer, count, rank, value);
        else if (what == ALL_REDUCE)
            one_all_reduce(buffer, count, rank, size, value);
        else
            side_barrier();
    }
}

static void measure(enum bench_case what, const char *name, long bytes, int rank, int size)
{
    long count = bytes / (long)sizeof(float);
    int calls = calls_in_batch(bytes), n = batches_of(bytes);
    double times[MOST_BATCHES];
    struct side_buffer *buffer = side_new(count > 0 ? count : 1);

    batch(what, buffer, count, rank, size, calls); /* warm up: pages, connections, caches */
    side_barrier();
    for (int b = 0; b < n; b++) {
        double start = now();
        batch(what, buffer, count, rank, size, calls);
        times[b] = (now() - start) / calls;
    }
    side_barrier();
    if (rank == 0)
        tell(name, size, bytes, median(times, n) / (what == PING ? 2 : 1));
    side_free(buffer);
}

static void run_cases(int rank, int size)
{
    static const long ping_bytes[] = { 8, 4 << 10, 1 << 20, 64 << 20 };
    static const long reduce_bytes[] = { 4, 4 << 10, 256 << 10, 4 << 20, 64 << 20 };

    for (int i = 0; i < 4 && size == 2; i++)
        measure(PING, "ping-pong", ping_bytes[i], rank, size);
    measure(BARRIER, "barrier", 0, rank, size);
    for (int i = 0; i < 5; i++)
        measure(ALL_REDUCE, "all_reduce", reduce_bytes[i], rank, size);
}

#endif
