/*
 * stragglers.c: one rank of 64 is 20 % slower. Who waits, how long, and does it help to give it less to do?
 *
 *     data      all compute, then meet once a step            the slowest decides each step
 *     tensor    all meet in every layer, four times           ... each layer
 *     pipeline  a stage waits for the one before it           the slow stage decides the beat, but hides in the bubble
 *
 * Then without anyone who is slow: every piece of work takes by chance up to 10 % longer. How often do ranks meet?
 *
 * Run it:  make run-13 PROG=stragglers N=1
 */
#include "table.h"

#include <math.h>

enum { LAYERS = 32, RANKS = 64, STAGES = 8, MICRO = 32 };

#define SLOW 1.2
#define STEP 1.0 /* seconds that all the computing of a step takes a rank */

/* 1F1B as a recurrence: stage s does its k-th piece when it has done the one before, and its neighbour has handed over. */
static double pipeline(double slow, int which)
{
    static double forward[STAGES][MICRO], backward[STAGES][MICRO];
    double free_at[STAGES] = { 0 }, piece = STEP / MICRO / 3;
    int f[STAGES] = { 0 }, b[STAGES] = { 0 };
    for (int left = 2 * STAGES * MICRO; left > 0;)
        for (int s = 0; s < STAGES; s++) {
            bool ahead = f[s] < MICRO && f[s] - b[s] < STAGES - s; /* how many it may have open */
            double speed = s == which ? slow : 1;
            if (ahead && (s == 0 || f[s - 1] > f[s])) {
                double ready = s > 0 ? forward[s - 1][f[s]] : 0;
                free_at[s] = fmax(free_at[s], ready) + piece * speed;
                forward[s][f[s]++] = free_at[s];
            } else if (!ahead && b[s] < MICRO && (s == STAGES - 1 || b[s + 1] > b[s])) {
                double ready = s < STAGES - 1 ? backward[s + 1][b[s]] : 0;
                free_at[s] = fmax(free_at[s], ready) + 2 * piece * speed;
                backward[s][b[s]++] = free_at[s];
            } else {
                continue;
            }
            left--;
        }
    return free_at[0];
}

/* Ranks that meet `meetings` times a step, in groups of `group`; each piece takes by chance up to 10 % longer. */
static double with_chance(int ranks, int group, int meetings)
{
    uint64_t state = 7;
    double slowest_group = 0;
    for (int g = 0; g < ranks / group; g++) {
        double time = 0;
        for (int m = 0; m < meetings; m++) {
            double slowest = 0;
            for (int r = 0; r < group; r++)
                slowest = fmax(slowest, STEP / meetings * (1 + 0.1 * chance(&state)));
            time += slowest;
        }
        slowest_group = fmax(slowest_group, time);
    }
    return slowest_group;
}

static void tell(void)
{
    double calm = pipeline(1, -1), first = pipeline(SLOW, 0), last = pipeline(SLOW, STAGES - 1);
    double fair = (RANKS - 1 + 1 / SLOW) / RANKS;
    printf("one rank of %d is 20 %% slower; the whole step takes\n", RANKS);
    printf("  data parallel       %4.1f %% longer\n", 100 * (SLOW - 1));
    printf("    with less for it  %4.1f %% longer: %.1f samples of 100 for it\n", 100 * (1 / fair - 1),
           100 / SLOW);
    printf("  tensor parallel     %4.1f %% longer, and nobody can be given less of a layer\n",
           100 * (SLOW - 1));
    printf(
        "  pipeline of %d       %4.1f %% longer in the first stage, %.1f %% in the last (%d micro-batches)\n",
        STAGES, 100 * (first / calm - 1), 100 * (last / calm - 1), MICRO);
    printf("nobody is slow, but each piece of work takes by chance 0 to 10 %% longer, 5 %% in the mean; the "
           "step takes\n");
    for (int ranks = 8; ranks <= 32768; ranks *= 16)
        printf("  %5d ranks          %4.1f %% longer if all meet once, %4.1f %% if groups of 8 meet in each "
               "layer, too\n",
               ranks, 100 * (with_chance(ranks, 1, 4 * LAYERS) - 1),
               100 * (with_chance(ranks, 8, 4 * LAYERS) - 1));
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
