/*
 * two_ranks.h: what a message between two ranks takes, measured by these two alone.
 *
 *     half a round of ping-pong, long messages      their difference is beta
 *     a short one, less its bytes                   one crossing, if its data set out with the announcement; else all three
 *     the sender's wait, the receiver there before  announce + answer
 *     the receiver's wait, the sender there before  nothing, if the data set out with the announcement; else answer + flight
 *     a long one, less its bytes                    announce + answer + flight
 *
 * And two sizes, each looked for by halving: up to which does a message take the time of a short one in ping-pong (early), and in an exchange,
 * where both send at once (small)?
 */
#ifndef TWO_RANKS_H
#define TWO_RANKS_H

#include "measured.h"
#include "network.h"

#include <math.h>
#include <time.h>

enum { ROUNDS = 6, SHORT = 4 << 10, LONG = 256 << 10, SIZE_STEP = 1 << 10 };

struct cost {
    struct protocol protocol;
    double beta;
};

static inline double of_rank_0(double value, int rank)
{
    tensor *shared = tensor_full(DIST_F64, rank == 0 ? value : 0, 1);
    dist_broadcast(shared, 0);
    value = tensor_item(shared, 0);
    tensor_free(shared);
    return value;
}

/* Of a short message, as ping-pong tells it. */
static inline double alpha_of(const struct protocol *p)
{
    return p->early > 0 ? p->announce : p->announce + p->answer + p->flight;
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
    double start = of_rank_0(dist_time() + head_start, rank);
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

struct pair {
    tensor *memory;
    int rank, peer; /* this one; and rank 0's other end */
    double alpha;   /* about: for the time that all need to learn when to begin */
};

static inline bool is_of_pair(const struct pair *pair)
{
    return pair->rank == 0 || pair->rank == pair->peer;
}

/* Bytes to the other, bytes from it; -1: none. */
static inline void swap_with(const struct pair *pair, int64_t out, int64_t in)
{
    bool other = pair->rank == 0;
    struct caller two = caller_for(pair->memory, 0, !other, 2, 0, pair->peer);
    float *x = tensor_data(pair->memory);
    int64_t size = (int64_t)sizeof *x;
    two.comm.swap(&two.comm, other, x, out < 0 ? -1 : out / size, other, x + LONG / size,
                  in < 0 ? -1 : in / size);
}

/* Half a round of ping-pong; of rank 0 it is right. */
static inline double time_of_message(const struct pair *pair, int64_t bytes)
{
    double best = INFINITY;
    dist_barrier();
    for (int i = 0; i < ROUNDS && is_of_pair(pair); i++) {
        double start = dist_time();
        for (int half = 0; half < 2; half++) {
            bool sends = (pair->rank == 0) == (half == 0);
            swap_with(pair, sends ? bytes : -1, sends ? -1 : bytes);
        }
        best = i > 0 ? fmin(best, (dist_time() - start) / 2) : best;
    }
    return best;
}

/* Both send at once, and receive. All learn it. */
static inline double time_of_exchange(const struct pair *pair, int64_t bytes)
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = begin_together(pair->rank, head_start(pair->alpha));
        if (is_of_pair(pair))
            swap_with(pair, bytes, bytes);
        best = fmin(best, until_the_last(is_of_pair(pair) ? start : dist_time()));
    }
    return best;
}

/* Rank 0 sends a short message. How long does the rank `late` wait, which begins when the other has long waited? All learn it. */
static inline double time_of_late(const struct pair *pair, int late)
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = begin_together(pair->rank, head_start(pair->alpha));
        if (pair->rank == late)
            sleep_until(start + head_start(pair->alpha));
        start = dist_time();
        if (is_of_pair(pair))
            swap_with(pair, pair->rank == 0 ? SHORT : -1, pair->rank == 0 ? -1 : SHORT);
        best = fmin(best, until_the_last(pair->rank == late ? start : dist_time()));
    }
    return best;
}

/* ---- what they say together ---------------------------------------------------------------------------------------- */

/* Up to which size is that time, less the bytes', below the limit? Between a short one, and a long one for which it is not. */
static inline int64_t longest_below(double (*time_of)(const struct pair *, int64_t), const struct pair *pair,
                                    double beta, double limit)
{
    int64_t below = SHORT, above = LONG;
    while (above - below > SIZE_STEP) {
        int64_t middle = (below + above) / 2 / SIZE_STEP * SIZE_STEP;
        double alpha = time_of(pair, middle) - (double)middle * beta;
        if (of_rank_0(alpha, pair->rank) < limit)
            below = middle;
        else
            above = middle;
    }
    return below;
}

/* Of what the two have waited, `moving` was for the bytes of a short one. The parts are never less than nothing. */
static inline struct protocol parts_of(double alpha, double long_one, double sent, double late, double moving)
{
    struct protocol p = { .announce = fmin(fmax(0, alpha - late + moving), alpha) };
    if (late - moving > alpha / 4) { /* they are three of one alpha; a short one has left at once */
        p.flight = fmin(fmax(0, alpha - sent), alpha - p.announce);
        p.answer = alpha - p.announce - p.flight;
        return p;
    }
    p.early = LONG; /* as far as is known */
    p.announce = alpha;
    p.answer = fmax(0, sent - moving - alpha);
    p.flight = fmax(0, long_one - p.announce - p.answer);
    return p;
}

static inline struct cost measure_message(tensor *memory, int rank, int peer)
{
    struct pair pair = { .memory = memory, .rank = rank, .peer = peer };
    double whole = time_of_message(&pair, LONG), half = time_of_message(&pair, LONG / 2),
           beta = of_rank_0(fmax(1e-12, (whole - half) / (LONG - LONG / 2)), rank), moving = SHORT * beta,
           long_one = of_rank_0(whole - LONG * beta, rank),
           alpha = of_rank_0(fmax(1e-9, time_of_message(&pair, SHORT) - moving), rank);
    pair.alpha = alpha;
    double sent = time_of_late(&pair, 0), late = time_of_late(&pair, peer);
    struct protocol p = parts_of(alpha, long_one, sent, late, moving);
    if (p.early > 0 && long_one > 1.5 * alpha)
        p.early = (double)longest_below(time_of_message, &pair, beta, (alpha + long_one) / 2);
    if (p.early > 0 && p.answer > alpha / 4)
        p.small = (double)longest_below(time_of_exchange, &pair, beta, alpha + p.answer / 2);
    return (struct cost){ p, beta };
}

#endif
