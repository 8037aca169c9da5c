/*
 * two_ranks.h: what a message between two ranks takes, measured by these two alone: three numbers for its three parts.
 *
 *     ping-pong, half a round                       announce + answer + flight + n beta     some sizes: a line
 *     the sender's wait, the receiver there before  announce + answer
 *     the receiver's wait, the sender there before             answer + flight
 *
 * The last two with a short message, which has left as soon as it may.
 *
 * That is a rendezvous. Between hosts the library has none any more where the receiver is there before: a short message travels inside its
 * announcement, a long one beside it. Then all of alpha is one crossing, and stands in the first part.
 */
#ifndef TWO_RANKS_H
#define TWO_RANKS_H

#include "measured.h"
#include "network.h"

#include <math.h>
#include <time.h>

enum { PINGS = 4, ROUNDS = 3, SHORT = 4 << 10 };

struct cost {
    struct latency latency;
    double beta;
};

static const int64_t pings[PINGS] = { 256 << 10, 64 << 10, 16 << 10,
                                      SHORT }; /* the long ones first: TCP begins slowly */

static inline double alpha_of(const struct latency *latency)
{
    return latency->announce + latency->answer + latency->flight;
}

/* ---- clocks: all hosts are one machine, and have one ------------------------------------------------------------ */

static inline void sleep_until(double time)
{
    double rest = time - dist_time();
    if (rest > 0)
        nanosleep(&(struct timespec){ .tv_sec = (time_t)rest, .tv_nsec = (long)(1e9 * fmod(rest, 1)) }, NULL);
}

/* All ranks begin at the same time, this one. */
static inline double begin_together(int rank, double head_start)
{
    tensor *when = tensor_full(DIST_F64, rank == 0 ? dist_time() + head_start : 0, 1);
    dist_broadcast(when, 0);
    double start = tensor_item(when, 0);
    tensor_free(when);
    sleep_until(start);
    return start;
}

/* Seconds since `start`, of the rank for which they are most. */
static inline double until_the_last(double start)
{
    tensor *took = tensor_full(DIST_F64, dist_time() - start, 1);
    dist_all_reduce(took, .op = DIST_MAX);
    double seconds = tensor_item(took, 0);
    tensor_free(took);
    return seconds;
}

static inline double head_start(double alpha)
{
    return 1e-3 + 5 * alpha;
}

/* ---- one message, of which rank 0 is one end, and the others look on --------------------------------------------- */

static inline void send_or_receive(tensor *memory, int64_t bytes, int rank, int peer, bool sends)
{
    struct caller two = caller_for(memory, 0, rank != 0, 2, 0, peer);
    float *x = tensor_data(memory);
    int64_t count = bytes / (int64_t)sizeof *x;
    two.comm.swap(&two.comm, rank == 0, x, sends ? count : -1, rank == 0, x, sends ? -1 : count);
}

static inline double time_of_message(tensor *memory, int64_t bytes, int rank, int peer)
{
    double best = INFINITY;
    dist_barrier();
    for (int i = 0; i < 2 * ROUNDS && (rank == 0 || rank == peer); i++) {
        double start = dist_time();
        for (int half = 0; half < 2; half++)
            send_or_receive(memory, bytes, rank, peer, (rank == 0) == (half == 0));
        best = i > 0 ? fmin(best, (dist_time() - start) / 2) : best;
    }
    return best;
}

/* Rank 0 sends a short message. How long does the rank `late` wait, which begins when the other has long waited? All learn it. */
static inline double time_of_late(tensor *memory, int rank, int peer, int late, double alpha)
{
    double best = INFINITY;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        double start = begin_together(rank, head_start(alpha));
        if (rank == late)
            sleep_until(start + head_start(alpha));
        start = dist_time();
        if (rank == 0 || rank == peer)
            send_or_receive(memory, SHORT, rank, peer, rank == 0);
        best = fmin(best, until_the_last(rank == late ? start : dist_time()));
    }
    return best;
}

/* The line that misses the times least, each miss in parts of the time. */
static inline struct cost fit_line(const double *times)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (int i = 0; i < PINGS; i++) {
        double x = (double)pings[i], y = times[i], weight = 1 / (y * y);
        s += weight;
        sx += weight * x;
        sxx += weight * x * x;
        sy += weight * y;
        sxy += weight * x * y;
    }
    double beta = fmax(1e-12, (s * sxy - sx * sy) / (s * sxx - sx * sx));
    return (struct cost){ .latency.flight = fmax(1e-9, (sy - beta * sx) / s), .beta = beta };
}

/* Of rank 0 alone it is right. The parts are never less than nothing, and alpha is their sum. */
static inline struct cost measure_message(tensor *memory, int rank, int peer)
{
    double times[PINGS];
    for (int i = 0; i < PINGS; i++)
        times[i] = time_of_message(memory, pings[i], rank, peer);
    struct cost cost = fit_line(times);
    tensor *shared = tensor_full(DIST_F64, rank == 0 ? cost.latency.flight : 0, 1);
    dist_broadcast(shared, 0);
    double alpha = tensor_item(shared, 0);
    tensor_free(shared);
    double sent = time_of_late(memory, rank, peer, 0, alpha),
           late = time_of_late(memory, rank, peer, peer, alpha) - SHORT * cost.beta;
    cost.latency.announce = fmin(fmax(0, alpha - late), alpha);
    cost.latency.flight = fmin(fmax(0, alpha - sent), alpha - cost.latency.announce);
    cost.latency.answer = alpha - cost.latency.announce - cost.latency.flight;
    return cost;
}

#endif
