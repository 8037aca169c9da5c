/*
 * measured.c: the simulator against a cluster: what two ranks say of a cable, what that predicts for more hosts, and what they measure.
 *
 *     two ranks send each other messages ---> costs ---> sim.h ---> predicted   of 2, 3, ... hosts with P ranks each,
 *                                        lib/algorithms by messages ---> measured     by the same code
 *
 * Run it on hosts made of namespaces, with 2 ranks on each; it takes two minutes:
 *     make cluster-13 PROG=measured HOSTS=8 N=16 RATE=20mbit DELAY=10ms
 * On one machine (make run-13 PROG=measured) its "hosts" are pairs of ranks, and the machine is shared by all.
 */
#define _GNU_SOURCE
#include "run.h"
#include "table.h"

#include "two_ranks.h"

#include <unistd.h>

enum { WAYS = 4, PER_HOST = 2, SIZES = 2, LONGEST = 256 << 10 };

static const char *const ways[WAYS] = { "tree", "ring", "halving", "levels" };
static const int64_t sizes[SIZES] = { 64 << 10, LONGEST };

static struct network network_of(struct cost near, struct cost far)
{
    return (struct network){ .per_node = PER_HOST,
                             .cards = 1,
                             .near = near.protocol,
                             .far = far.protocol,
                             .port = 1 / near.beta,
                             .card = 1 / far.beta };
}

/* The same, but of the protocol only what ping-pong tells: for the comparison. */
static struct network alpha_alone(struct network n)
{
    n.near = (struct protocol){ .flight = alpha_of(&n.near) };
    n.far = (struct protocol){ .flight = alpha_of(&n.far) };
    return n;
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
        double start = begin_together(rank, head_start(alpha));
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
    int rows;
    double sum[WAYS], worst;
};

static void count_miss(struct misses *misses, int way, double predicted, double measured)
{
    double miss = fabs(predicted / measured - 1);
    misses->sum[way] += miss;
    misses->worst = fmax(misses->worst, miss);
    misses->rows += way == 0;
}

static void tell_misses(const char *model, const struct misses *misses)
{
    double sum = 0;
    for (int i = 0; i < WAYS; i++)
        sum += misses->sum[i];
    printf("%s: off by %.1f %% in the mean, %.1f %% at worst (", model, 100 * sum / (WAYS * misses->rows),
           100 * misses->worst);
    for (int i = 0; i < WAYS; i++)
        printf("%s%s %.1f", i > 0 ? ", " : "", ways[i], 100 * misses->sum[i] / misses->rows);
    printf(")\n");
}

static void tell_line(int hosts, int64_t bytes, const double *measured, struct network network,
                      struct misses *misses, struct misses *simpler)
{
    network.ranks = hosts * PER_HOST;
    struct network simple = alpha_alone(network);
    printf("%5d %5d %6.0f KiB", hosts, network.ranks, (double)bytes / 1024);
    for (int i = 0; i < WAYS; i++) {
        double predicted = simulate(&network, ways[i], (double)bytes, NULL);
        printf("  %8.2f %8.2f", 1e3 * measured[i], 1e3 * predicted);
        count_miss(misses, i, predicted, measured[i]);
        count_miss(simpler, i, simulate(&simple, ways[i], (double)bytes, NULL), measured[i]);
    }
    printf("\n");
    fflush(stdout);
}

static void tell_cost(const char *where, const struct cost *cost)
{
    const struct protocol *p = &cost->protocol;
    printf("%s announced %.3f ms, answered %.3f, in flight %.3f; beta %.2f ns a byte (%.0f Mbit/s); early "
           "%.0f KiB, small %.0f KiB\n",
           where, 1e3 * p->announce, 1e3 * p->answer, 1e3 * p->flight, 1e9 * cost->beta, 8e-6 / cost->beta,
           p->early / 1024, p->small / 1024);
}

static void tell_head(const struct cost *near, const struct cost *far)
{
    tell_cost("between hosts", far);
    tell_cost("inside a host", near);
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
    double alpha = alpha_of(&network.far),
           well = time_of_sum("ring", memory, LONGEST, rank, ranks, NULL, alpha),
           badly = time_of_sum("ring", memory, LONGEST, rank, ranks, order, alpha);
    network.ranks = ranks;
    if (rank == 0)
        printf("one ring of %d ranks, %d KiB: host by host %.2f ms (model %.2f), dealt out %.2f ms (model "
               "%.2f)\n",
               ranks, LONGEST / 1024, 1e3 * well, 1e3 * simulate(&network, "ring", LONGEST, NULL),
               1e3 * badly, 1e3 * simulate(&network, "ring", LONGEST, order));
}

static void compare(tensor *memory, int rank, int hosts, struct network network)
{
    struct misses misses = { 0 }, simpler = { 0 };
    for (int h = hosts > 1 ? 2 : 1; h <= hosts; h += h < 4 ? 1 : 2)
        for (int s = 0; s < SIZES; s++) {
            double measured[WAYS];
            for (int i = 0; i < WAYS; i++)
                measured[i] =
                    time_of_sum(ways[i], memory, sizes[s], rank, h * PER_HOST, NULL, alpha_of(&network.far));
            if (rank == 0)
                tell_line(h, sizes[s], measured, network, &misses, &simpler);
        }
    if (rank == 0) {
        tell_misses("this model", &misses);
        tell_misses("alpha alone", &simpler);
    }
}

/* Are all ranks on one machine, or so many on each host, in order? */
static bool hosts_are_even(int world_size)
{
    char name[256] = "";
    unsigned number = 0;
    (void)gethostname(name, sizeof name - 1);
    for (const char *at = name; *at; at++)
        number = 31 * number + (unsigned char)*at;
    tensor *mine = tensor_full(DIST_I64, number, 1), *all = tensor_zeros(DIST_I64, world_size);
    dist_all_gather(all, mine);
    bool one = true, even = true;
    for (int i = 1; i < world_size; i++) {
        bool same = tensor_item(all, i) == tensor_item(all, i - 1);
        one &= same;
        even &= same == (i % PER_HOST != 0);
    }
    tensor_free(mine);
    tensor_free(all);
    return one || even;
}

static void run(int rank, int world_size)
{
    int hosts = world_size / PER_HOST;
    if (hosts < 1 || world_size > MOST_RANKS) {
        fprintf(stderr, "measured needs %d to %d ranks: make run-13 PROG=measured N=4\n", PER_HOST,
                MOST_RANKS);
        exit(2);
    }
    dist_init_process_group();
    dist_set_device(DIST_HOST); /* the algorithms' memory is plain C's */
    if (!hosts_are_even(world_size)) {
        if (rank == 0)
            fprintf(stderr,
                    "measured needs %d ranks on each host: make cluster-13 PROG=measured HOSTS=3 N=6\n",
                    PER_HOST);
        dist_destroy_process_group();
        exit(2);
    }
    tensor *memory = tensor_zeros(DIST_F32, 4 * LONGEST / (int64_t)sizeof(float));
    struct cost near = measure_message(memory, rank, 1);
    struct cost far = hosts > 1 ? measure_message(memory, rank, PER_HOST) : near;
    if (rank == 0)
        tell_head(&near, &far);
    compare(memory, rank, hosts, network_of(near, far));
    two_orders(memory, rank, hosts * PER_HOST, network_of(near, far));
    tensor_free(memory);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
