/*
 * measured.c: the simulator against a cluster: what two ranks say of a cable, what that predicts for more hosts, and what they measure.
 *
 *     ranks 0 and P play ping-pong ---> alpha, beta ---> sim.h ---> predicted   of 2, 3, ... hosts with P ranks each,
 *                                        lib/algorithms by messages ---> measured     by the same code
 *
 * Run it on hosts made of namespaces, with 2 ranks on each; it takes a minute:
 *     make cluster-13 PROG=measured HOSTS=8 N=16 RATE=100mbit DELAY=1ms
 * On one machine (make run-13 PROG=measured) its "hosts" are pairs of ranks, and the machine is shared by all.
 */
#define _GNU_SOURCE
#include "run.h"
#include "table.h"

#include "measured.h"

#include <time.h>

enum { WAYS = 4, PER_HOST = 2, SIZES = 2, LONGEST = 256 << 10, PINGS = 4, ROUNDS = 3 };

static const char *const ways[WAYS] = { "tree", "ring", "halving", "levels" };
static const int64_t sizes[SIZES] = { 64 << 10, LONGEST };
static const int64_t pings[PINGS] = { 256 << 10, 64 << 10, 16 << 10,
                                      4 << 10 }; /* the long ones first: TCP begins slowly */

struct line {
    double alpha, beta;
};

/* ---- two ranks ----------------------------------------------------------------------------------------------- */

/* Seconds of a message between rank 0 and `peer`: there and back, by two. The others wait. */
static double time_of_message(tensor *memory, int64_t bytes, int rank, int peer)
{
    struct caller two = caller_for(memory, 0, rank != 0, 2, 0, peer);
    float *x = tensor_data(memory);
    int64_t count = bytes / (int64_t)sizeof *x;
    double best = INFINITY;
    dist_barrier();
    for (int i = 0; i < 2 * ROUNDS && (rank == 0 || rank == peer); i++) {
        double start = dist_time();
        for (int half = 0; half < 2; half++) {
            bool sends = (rank == 0) == (half == 0);
            two.comm.swap(&two.comm, rank == 0, x, sends ? count : -1, rank == 0, x, sends ? -1 : count);
        }
        best = i > 0 ? fmin(best, (dist_time() - start) / 2) : best;
    }
    return best;
}

/* The line that misses the times least, each miss in parts of the time. */
static struct line measure_link(tensor *memory, int rank, int peer)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (int i = 0; i < PINGS; i++) {
        double x = (double)pings[i], y = time_of_message(memory, pings[i], rank, peer), weight = 1 / (y * y);
        s += weight;
        sx += weight * x;
        sxx += weight * x * x;
        sy += weight * y;
        sxy += weight * x * y;
    }
    double beta = fmax(1e-12, (s * sxy - sx * sy) / (s * sxx - sx * sx));
    return (struct line){ fmax(1e-9, (sy - beta * sx) / s), beta };
}

static struct network network_of(struct line near, struct line far)
{
    return (struct network){ .per_node = PER_HOST,
                             .cards = 1,
                             .alpha_near = near.alpha,
                             .alpha_far = far.alpha,
                             .port = 1 / near.beta,
                             .card = 1 / far.beta };
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* All hosts are one machine, and have one clock. So all begin at the same time, and it is over when the last one is. */
static double begin_together(int rank, double head_start)
{
    tensor *when = tensor_full(DIST_F64, rank == 0 ? dist_time() + head_start : 0, 1);
    dist_broadcast(when, 0);
    double start = tensor_item(when, 0), rest = start - dist_time();
    tensor_free(when);
    if (rest > 0)
        nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * fmin(rest, 0.9)) }, NULL);
    return start;
}

static double until_the_last(double start)
{
    tensor *took = tensor_full(DIST_F64, dist_time() - start, 1);
    dist_all_reduce(took, .op = DIST_MAX);
    double seconds = tensor_item(took, 0);
    tensor_free(took);
    return seconds;
}

/* Seconds of one, in the best of some rounds: whatever else the machine does only makes it longer. The sum is looked at, too. */
static double time_of_sum(const char *way, tensor *memory, int64_t bytes, int rank, int size,
                          const int *order, double alpha)
{
    float *x = tensor_data(memory);
    int64_t count = bytes / (int64_t)sizeof *x;
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        for (int64_t k = 0; k < count; k++)
            x[k] = (float)(100 * rank + 1);
        double start = begin_together(rank, 1e-3 + 5 * alpha);
        if (rank < size && sum_over(way, memory, count, rank, size, PER_HOST, order) != 0)
            exit(2);
        double took = until_the_last(rank < size ? start : dist_time());
        best = fmin(best, took);
        if (rank < size && x[count / 2] != (float)(50 * size * (size - 1) + size)) {
            fprintf(stderr, "%s gave %g on rank %d\n", way, x[count / 2], rank);
            exit(1);
        }
    }
    return best;
}

struct misses {
    int count;
    double sum, worst;
};

static void tell_line(int hosts, int64_t bytes, const double *measured, struct network network,
                      struct misses *misses)
{
    network.ranks = hosts * PER_HOST;
    printf("%5d %5d %6.0f KiB", hosts, network.ranks, (double)bytes / 1024);
    for (int i = 0; i < WAYS; i++) {
        double predicted = simulate(&network, ways[i], (double)bytes, NULL, 0);
        double miss = fabs(predicted / measured[i] - 1);
        printf("  %8.2f %8.2f", 1e3 * measured[i], 1e3 * predicted);
        misses->sum += miss;
        misses->worst = fmax(misses->worst, miss);
        misses->count++;
    }
    printf("\n");
    fflush(stdout);
}

static void tell_head(struct line near, struct line far)
{
    printf("between hosts alpha %.3f ms, beta %.1f ns a byte (%.0f Mbit/s); inside alpha %.3f ms, beta %.2f "
           "ns\n",
           1e3 * far.alpha, 1e9 * far.beta, 8e-6 / far.beta, 1e3 * near.alpha, 1e9 * near.beta);
    printf("hosts ranks all-reduce");
    for (int i = 0; i < WAYS; i++)
        printf("  %17s", ways[i]);
    printf("\n%22s", "ms:");
    for (int i = 0; i < WAYS; i++)
        printf("  %8s %8s", "measured", "model");
    printf("\n");
}

/* The same ring, host by host and dealt out: 0 2 4 ... 1 3 5 ... */
static void two_orders(tensor *memory, int rank, int ranks, struct network network)
{
    int order[MOST_RANKS], hosts = ranks / PER_HOST;
    for (int i = 0; i < ranks; i++)
        order[i] = i % hosts * PER_HOST + i / hosts;
    double well = time_of_sum("ring", memory, LONGEST, rank, ranks, NULL, network.alpha_far);
    double badly = time_of_sum("ring", memory, LONGEST, rank, ranks, order, network.alpha_far);
    network.ranks = ranks;
    if (rank == 0)
        printf("one ring of %d ranks, %d KiB: host by host %.2f ms (model %.2f), dealt out %.2f ms (model "
               "%.2f)\n",
               ranks, LONGEST / 1024, 1e3 * well, 1e3 * simulate(&network, "ring", LONGEST, NULL, 0),
               1e3 * badly, 1e3 * simulate(&network, "ring", LONGEST, order, 0));
}

static void run(int rank, int world_size)
{
    int hosts = world_size / PER_HOST;
    struct misses misses = { 0 };
    if (hosts < 1 || world_size > MOST_RANKS) {
        fprintf(stderr, "measured needs %d to %d ranks: make run-13 PROG=measured N=4\n", PER_HOST,
                MOST_RANKS);
        exit(2);
    }
    dist_init_process_group();
    dist_set_device(DIST_HOST); /* the algorithms' memory is plain C's */
    tensor *memory = tensor_zeros(DIST_F32, 4 * LONGEST / (int64_t)sizeof(float));
    struct line near = measure_link(memory, rank, 1);
    struct line far = hosts > 1 ? measure_link(memory, rank, PER_HOST) : near;
    if (rank == 0)
        tell_head(near, far);
    for (int h = hosts > 1 ? 2 : 1; h <= hosts; h += h < 4 ? 1 : 2)
        for (int s = 0; s < SIZES; s++) {
            double measured[WAYS];
            for (int i = 0; i < WAYS; i++)
                measured[i] = time_of_sum(ways[i], memory, sizes[s], rank, h * PER_HOST, NULL, far.alpha);
            if (rank == 0)
                tell_line(h, sizes[s], measured, network_of(near, far), &misses);
        }
    if (rank == 0)
        printf("%d predictions: off by %.1f %% in the mean, %.1f %% at worst\n", misses.count,
               100 * misses.sum / misses.count, 100 * misses.worst);
    two_orders(memory, rank, hosts * PER_HOST, network_of(near, far));
    tensor_free(memory);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
