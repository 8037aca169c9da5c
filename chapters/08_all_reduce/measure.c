/*
 * measure.c: what a message costs here, what that lets one expect of four all-reduces, and what they really take.
 *
 *     time of a message  =  alpha  +  bytes x beta           alpha and beta: fitted to messages of several sizes
 *     time of a ring     =  2 (p - 1) (alpha + bytes / p x beta) + adding  and so on, then measured
 *
 * Run it:  make run-08 PROG=measure N=4
 * With the word csv (build/chapters/08_all_reduce/measure csv) it measures more sizes, longer, and prints a table for
 * other programs: record.sh plots it.
 */
#include "../words.h"
#include "cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, MOST_SIZES = 12, ADDED = 128 << 10 };

/* What is measured; set before the ranks start. */
static struct {
    bool csv;
    int sizes;
    int64_t bytes[MOST_SIZES];
} plan = { false, 5, { 8, 1 << 10, 16 << 10, 128 << 10, 1 << 20 } };

/* Everybody sends to the right and receives from the left; then passes on what has come, so that it is never data that
 * the receiver has seen before. */
static void send_twice(tensor *x, tensor *inbox, int rank, int n)
{
    for (int i = 0; i < 2; i++) {
        tensor *leaves = i == 0 ? x : inbox, *comes = i == 0 ? inbox : x;
        dist_work *works[] = { dist_irecv(comes, ring_previous(rank, n)),
                               dist_isend(leaves, ring_next(rank, n)) };
        dist_wait_all(works, 2);
    }
}

static void once(const char *what, tensor *x, tensor *inbox, int rank, int n)
{
    if (strcmp(what, "send twice") == 0)
        send_twice(x, inbox, rank, n);
    else if (strcmp(what, "add") == 0)
        tensor_add(x, inbox);
    else
        algorithm_all_reduce(what, x, DIST_SUM);
}

/* Seconds for one, in the best of some rounds: whatever else the machine has to do can only make a round longer. A round
 * is as many of them in a row as make it long enough to measure. */
static double time_of(const char *what, int64_t bytes, int rank, int n)
{
    int repeat = bytes <= 16 << 10 ? 10 : 2, rounds = plan.csv ? 10 * ROUNDS : ROUNDS;
    tensor *x = tensor_zeros(DIST_F32, bytes / 4), *inbox = tensor_zeros(DIST_F32, bytes / 4);
    double best = INFINITY;
    once(what, x, inbox, rank, n); /* the first touches memory that is new */
    for (int i = 0; i < rounds; i++) {
        dist_barrier();
        double start = dist_time();
        for (int k = 0; k < repeat; k++)
            once(what, x, inbox, rank, n);
        dist_synchronize(); /* on a GPU the calls only enqueue */
        best = fmin(best, (dist_time() - start) / repeat);
    }
    tensor_free(inbox);
    tensor_free(x);
    return best;
}

/* The line that misses the measured times least, each miss taken in parts of the time: so that small messages count as
 * much as large ones. */
static struct cost fit(const double *times)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (int i = 0; i < plan.sizes; i++) {
        double x = (double)plan.bytes[i], weight = 1 / (times[i] * times[i]);
        s += weight;
        sx += weight * x;
        sxx += weight * x * x;
        sy += weight * times[i];
        sxy += weight * x * times[i];
    }
    double beta = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    return (struct cost){ .alpha = (sy - beta * sx) / s, .beta = beta };
}

static void print_table(double measured[WAYS][MOST_SIZES], struct cost c, int p)
{
    int won = 0, should_win = 0, last = plan.sizes - 1;
    printf("%d ranks: alpha %.2f us, beta %.4f ns a byte (%.1f GB/s), gamma %.4f ns a byte\n", p,
           1e6 * c.alpha, 1e9 * c.beta, 1e-9 / c.beta, 1e9 * c.gamma);
    printf("%10s %17s %17s %17s %17s\n", "us:", names[0], names[1], names[2], names[3]);
    printf("%10s", "");
    for (int way = 0; way < WAYS; way++)
        printf(" %8s %8s", "measured", "model");
    printf("\n");
    for (int i = 0; i < plan.sizes; i++) {
        double bytes = (double)plan.bytes[i];
        printf("%8.0f B", bytes);
        for (int way = 0; way < WAYS; way++)
            printf(" %8.1f %8.1f", 1e6 * measured[way][i], 1e6 * predict(way, c, bytes, p));
        printf("\n");
        won += measured[RING][i] < measured[TREE][i];
        should_win += predict(RING, c, bytes, p) < predict(TREE, c, bytes, p);
    }
    printf("the ring was faster than the tree at %d of %d sizes, the model says %d\n", won, plan.sizes,
           should_win);
    printf("bus bandwidth at %.0f B:", (double)plan.bytes[last]);
    for (int way = 0; way < WAYS; way++)
        printf(" %s %.2f", names[way], 2e-9 * (p - 1) / p * (double)plan.bytes[last] / measured[way][last]);
    printf(" GB/s\n");
}

static void print_csv(double measured[WAYS][MOST_SIZES], struct cost c, int p)
{
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < plan.sizes; i++)
            printf("%d,%s,%.0f,%.2f,%.2f\n", p, names[way], (double)plan.bytes[i], 1e6 * measured[way][i],
                   1e6 * predict(way, c, (double)plan.bytes[i], p));
}

static void run(int rank, int world_size)
{
    if (world_size < 2) {
        fprintf(stderr, "measure needs at least 2 ranks: make run-08 PROG=measure N=2\n");
        exit(2);
    }
    dist_init_process_group();
    double messages[MOST_SIZES], measured[WAYS][MOST_SIZES];
    for (int i = 0; i < plan.sizes; i++)
        messages[i] = time_of("send twice", plan.bytes[i], rank, world_size) / 2;
    struct cost cost = fit(messages);
    cost.gamma = time_of("add", ADDED, rank, world_size) / ADDED;
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < plan.sizes; i++)
            measured[way][i] = time_of(names[way], plan.bytes[i], rank, world_size);
    if (rank == 0)
        (plan.csv ? print_csv : print_table)(measured, cost, world_size);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    if (asked_for("csv", count, words)) {
        plan.csv = true;
        plan.sizes = 10;
        for (int i = 0; i < plan.sizes; i++)
            plan.bytes[i] = 8LL << 2 * i; /* 8 B to 2 MiB */
    }
    return dist_spawn(run, 4);
}
