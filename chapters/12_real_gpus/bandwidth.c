/*
 * bandwidth.c: how quickly can all ranks add up a tensor, and how busy does that keep their links?
 *
 *     algorithm bandwidth  =  bytes of the tensor / time           what you wait for
 *     bus bandwidth        =  that x 2 (p - 1) / p                 what a link has to carry, whatever p is; with p = 1 nothing
 *
 * Run it:  make run-12 PROG=bandwidth N=4
 * With the word csv (build/chapters/12_real_gpus/bandwidth csv) it measures more sizes and prints a table for record.sh.
 */
#include "../words.h"
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10 };

/* What is measured; set before the ranks start. */
static struct {
    bool csv;
    int64_t least, most; /* bytes; times 8 each */
} plan = { false, 1 << 10, 1 << 22 };

static const char *or_usual(const char *name, const char *usual)
{
    const char *value = getenv(name);
    return value && *value ? value : usual;
}

/* On a GPU the calls only enqueue, so the clock stops when the GPU is done. Both are there for the host, too. */
static double once(tensor *x, int repeat)
{
    dist_barrier();
    double start = dist_time();
    for (int i = 0; i < repeat; i++)
        dist_all_reduce(x);
    dist_synchronize();
    return (dist_time() - start) / repeat;
}

/* The best of some rounds: whatever else the machine has to do can only make a round longer. */
static double best_of(tensor *x, int repeat)
{
    double best = INFINITY;
    once(x, 1); /* the first makes connections, and touches memory that is new */
    for (int i = 0; i < (plan.csv ? 8 * ROUNDS : ROUNDS); i++)
        best = fmin(best, once(x, repeat));
    return best;
}

static void say(int64_t bytes, double seconds, int p)
{
    double algorithm = (double)bytes / seconds * 1e-9, bus = algorithm * 2 * (p - 1) / p;
    if (plan.csv)
        printf("%s,%s,%d,%lld,%.2f,%.4f\n", or_usual("BACKEND", "shm"), or_usual("DEVICE", "usual"), p,
               (long long)bytes, seconds * 1e6, bus);
    else
        printf("%10lld %10.1f %10.3f %10.3f\n", (long long)bytes, seconds * 1e6, algorithm, bus);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (rank == 0 && !plan.csv) {
        printf("all_reduce of F32 on %d rank%s\n", world_size, world_size > 1 ? "s" : "");
        printf("%10s %10s %10s %10s\n", "bytes", "time us", "GB/s", "bus GB/s");
    }
    for (int64_t bytes = plan.least; bytes <= plan.most; bytes *= 8) {
        tensor *x = tensor_zeros(DIST_F32, bytes / 4);
        double seconds = best_of(x, bytes <= 1 << 16 ? 20 : 3);
        if (rank == 0)
            say(bytes, seconds, world_size);
        tensor_free(x);
    }
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    if (asked_for("csv", count, words)) {
        plan.csv = true;
        plan.most = 1 << 25;
    }
    return dist_spawn(run, 4);
}
