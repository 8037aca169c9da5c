/*
 * simulate.c: the library's all-reduces on clusters that we do not have: 16 to 1,024 GPUs, in discrete events.
 *
 *     lib/algorithms/ring.c ---> script.h ---> sim.h, run.h ---> seconds
 *
 * Run it:  make run-13 PROG=simulate N=1; with the word csv also 4,096 and 16,384 GPUs, more sizes, a minute long: record.sh plots it.
 */
#include "../words.h"
#include "run.h"
#include "table.h"

enum { WAYS = 4 };

static const char *const ways[WAYS] = { "tree", "ring", "halving", "levels" };
static bool csv;

static void print_line(int ranks, double bytes)
{
    struct network network = dgx_h100(ranks);
    double best = 0, busbw[WAYS];
    int which = 0;
    for (int i = 0; i < WAYS; i++) {
        busbw[i] = 2e-9 * bytes * (ranks - 1) / ranks / simulate(&network, ways[i], bytes, NULL);
        which = busbw[i] > best ? i : which;
        best = busbw[i] > best ? busbw[i] : best;
        if (csv)
            printf("%d,%.0f,%s,%.4g\n", ranks, bytes, ways[i], busbw[i]);
    }
    fflush(stdout);
    if (!csv)
        printf("%6d %10.0f KiB %10.3f %10.3f %10.3f %10.3f   %s\n", ranks, bytes / 1024, busbw[0], busbw[1],
               busbw[2], busbw[3], ways[which]);
}

/* What the formulas of chapter 08 say of a ring, where its slowest link is a card. */
static void print_check(int ranks, double bytes)
{
    struct network n = dgx_h100(ranks);
    double formula = 2.0 * (ranks - 1) * (n.far.flight + bytes / ranks / n.card),
           found = simulate(&n, "ring", bytes, NULL);
    printf("a ring of %d: simulated %.1f us, by the formula 2 (p - 1) (alpha + n / p beta) %.1f us\n", ranks,
           1e6 * found, 1e6 * formula);
}

static void tell(void)
{
    if (!csv) {
        printf("bus bandwidth in GB/s on nodes of 8 H100\n");
        printf("%6s %14s %10s %10s %10s %10s   fastest\n", "GPUs", "all-reduce of", ways[0], ways[1], ways[2],
               ways[3]);
    }
    for (int ranks = 16; ranks <= (csv ? 16384 : 1024); ranks *= csv ? 4 : 8)
        for (double bytes = csv ? 1024 : 16 << 10; bytes <= 1 << 30; bytes *= csv ? 32 : 64)
            print_line(ranks, bytes);
    if (!csv)
        print_check(64, 1 << 24);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    rank_0_tells(rank, tell);
}

int main(int count, char **words)
{
    csv = asked_for("csv", count, words);
    return dist_spawn(run, 1);
}
