/* costs.c: what a rank costs: while it waits, while others compute, to start and to end, and in memory. */
#define _GNU_SOURCE
#include "bench.h"
#include "timing.h"

#include <string.h>
#include <unistd.h>

enum { TIMES = 5 };
#define PAUSE_US 100000
#define WORK_US 5000.0

static double cpu_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Rank 0 sleeps, then sends. What part of its waiting does rank 1 spend on a processor, with all its threads? */
static void waiting(struct job *job)
{
    struct buffer word;
    double shares[TIMES];
    side_new(&word, job->count);
    for (int i = 0; i < TIMES; i++) {
        side_barrier();
        if (job->rank == 0) {
            usleep(PAUSE_US);
            side_send(&word, 1);
        } else if (job->rank == 1) {
            double start = now(), used = cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
            side_recv(&word, 0);
            shares[i] = 100 * (cpu_clock(CLOCK_PROCESS_CPUTIME_ID) - used) / (now() - start);
        }
    }
    if (job->rank == 1)
        tell(job->name, job->size, job->bytes, median(shares, TIMES), "%");
    side_free(&word);
}

/* So much work that it takes this thread 5 ms, whatever else runs on its core. */
static void compute(void)
{
    double end = cpu_clock(CLOCK_THREAD_CPUTIME_ID) + WORK_US;
    while (cpu_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

/* Every rank has the same work; then they meet. Whoever waits must not take the core from those who still work. */
static void balanced(struct job *job)
{
    struct buffer x;
    double times[4 * TIMES];
    side_new(&x, job->count);
    memset(x.x, 0, (size_t)job->count * sizeof(float));
    side_all_reduce(&x, &x, 0);
    for (int i = 0; i < 4 * TIMES; i++) {
        double start = now();
        compute();
        side_all_reduce(&x, &x, 0);
        times[i] = now() - start;
    }
    if (job->rank == 0)
        tell(job->name, job->size, job->bytes, median(times, 4 * TIMES), "us");
    side_free(&x);
}

/* All that a short job does. bench_clock.c takes its time from outside, from launch to exit. */
static void start(struct job *job)
{
    struct buffer x;
    int all = job->size * (job->size + 1) / 2;
    side_new(&x, job->count);
    for (long i = 0; i < job->count; i++)
        x.x[i] = (float)(job->rank + 1);
    side_all_reduce(&x, &x, 0);
    for (long i = 0; i < job->count; i++)
        if (x.x[i] != (float)all)
            wrong(job, "an element", x.x[i], all);
    side_free(&x);
}

/* The sum of the lines "NAME: number kB" of a file in /proc whose names begin so. */
static float kilobytes(const char *path, const char *name)
{
    char line[256];
    float value = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value += strtof(line + strcspn(line, ":") + 1, NULL);
    if (file)
        fclose(file);
    return value;
}

/* After the same short job, of all ranks: the most that was resident in any; the mean of what nobody else maps; and what a rank
 * costs the machine, where a page that n processes map counts as 1/n in each. The first counts every page of the C library that
 * any program on the machine has loaded, so it says little of what one more rank would cost. */
static void memory(struct job *job)
{
    enum { PEAK, PRIVATE, SHARE, NUMBERS };
    float all[NUMBERS] = { 0 };
    struct buffer mine;
    start(job);
    float peak = kilobytes("/proc/self/status", "VmHWM:");
    side_new(&mine, NUMBERS);
    side_barrier(); /* all are still there, so a page is shared by all */
    mine.x[PEAK] = peak;
    mine.x[PRIVATE] = kilobytes("/proc/self/smaps_rollup", "Private_");
    mine.x[SHARE] = kilobytes("/proc/self/smaps_rollup", "Pss:");
    if (job->rank != 0)
        side_send(&mine, 0);
    for (int r = 0; r < job->size && job->rank == 0; r++) {
        if (r > 0)
            side_recv(&mine, r);
        all[PEAK] = mine.x[PEAK] > all[PEAK] ? mine.x[PEAK] : all[PEAK];
        all[PRIVATE] += mine.x[PRIVATE] / (float)job->size;
        all[SHARE] += mine.x[SHARE] / (float)job->size;
    }
    if (job->rank == 0) {
        tell(job->name, job->size, job->bytes, all[PEAK], "KiB");
        tell("private", job->size, job->bytes, all[PRIVATE], "KiB");
        tell("share", job->size, job->bytes, all[SHARE], "KiB");
    }
    side_free(&mine);
}

int costs_run(struct job *job)
{
    static const struct {
        const char *name;
        void (*run)(struct job *);
    } cases[] = {
        { "waiting", waiting }, { "balanced", balanced }, { "start", start },
        { "memory", memory },   { "peak", start },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(job->name, cases[i].name) == 0) {
            cases[i].run(job);
            return 1;
        }
    return 0;
}
