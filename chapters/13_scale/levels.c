/*
 * levels.c: one all-reduce inside a node, and over four: what costs latency, and what costs bandwidth?
 *
 *     1 node     GPU = GPU = GPU ...                        900 GB/s each, 18 us
 *     4 nodes    GPU = GPU ... card - network - card ...     8 cards of 50 GB/s, and 20 us for each step of a tree
 *
 * Run it:  make run-13 PROG=levels N=1
 */
#include "predict/predict.h"
#include "table.h"

static void print_size(const struct machine *m, double bytes, const char *name)
{
    double one = collective_time(m, ALL_REDUCE, bytes, 8, 8, 8),
           four = collective_time(m, ALL_REDUCE, bytes, 32, 8, 8);
    printf("%8s %12.1f %10.2f %12.1f %10.2f %9.1f\n", name, 1e6 * one,
           1e-9 * bus_bandwidth(ALL_REDUCE, bytes, 8, one), 1e6 * four,
           1e-9 * bus_bandwidth(ALL_REDUCE, bytes, 32, four), four / one);
}

static void tell(void)
{
    const struct machine *m = machine_named("hgx-b200");
    static const struct {
        const char *name;
        double bytes;
    } sizes[] = { { "1 KiB", 1 << 10 },   { "32 KiB", 32 << 10 }, { "1 MiB", 1 << 20 },
                  { "32 MiB", 32 << 20 }, { "1 GiB", 1 << 30 },   { "4 GiB", 4.0 * (1 << 30) } };
    printf("%8s %23s %23s %9s\n", m->name, "1 node of 8 GPUs", "4 nodes, 32 GPUs", "4 : 1");
    printf("%8s %12s %10s %12s %10s %9s\n", "", "us", "GB/s", "us", "GB/s", "in time");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        print_size(m, sizes[i].bytes, sizes[i].name);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    rank_0_tells(rank, tell);
}

int main(void)
{
    return dist_spawn(run, 1);
}
