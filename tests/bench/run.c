/* run.c: what a command line asks for. */
#define _GNU_SOURCE
#include "bench.h"
#include "timing.h"

#include <sched.h>
#include <string.h>

static const char *asked_name;
static long asked_bytes;

void bench_ask(int argc, char **argv)
{
    char *end = NULL;
    if (argc == 3) {
        asked_name = argv[1];
        asked_bytes = strtol(argv[2], &end, 10);
    }
    if (!end || *end || asked_bytes < 0) {
        fprintf(stderr, "usage: %s CASE BYTES, for example: %s ping-pong 4096\n", argv[0], argv[0]);
        exit(2);
    }
}

void bench_has_not(void)
{
    exit(EXIT_HAS_NOT);
}

void wrong(const struct job *job, const char *where, double got, double wanted)
{
    fprintf(stderr, "rank %d: %s of %ld bytes, %s: got %g, not %g\n", job->rank, job->name, job->bytes, where,
            got, wanted);
    exit(1);
}

/* Where every rank has a core it shall stay there: we measure libraries, not the scheduler. After init, because libraries
 * count the cores. */
static void pin(int rank, int size)
{
    cpu_set_t mine, one;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) < size)
        return;
    CPU_ZERO(&one);
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen <= rank; cpu++)
        if (CPU_ISSET(cpu, &mine) && seen++ == rank)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

void bench_run(int rank, int size)
{
    struct job job = { .rank = rank,
                       .size = size,
                       .name = asked_name,
                       .bytes = asked_bytes,
                       .count = asked_bytes < (long)sizeof(float) ? 1 : asked_bytes / (long)sizeof(float) };
    if (costs_run(&job))
        return;
    pin(rank, size);
    if (!messages_run(&job) && !collectives_run(&job) && !patterns_run(&job)) {
        if (rank == 0)
            fprintf(stderr, "there is no case \"%s\"\n", asked_name);
        exit(2);
    }
}
