/*
 * bench_limits.c: what the machine allows, in plain C: two processes that share memory, and no library.
 *
 *   usage: bench_limits CASE BYTES RANKS
 *
 *   bounce       a flag in a cache line goes back and forth: how near the two cores are to each other just now
 *   ping-pong    the same; what is larger than a word is copied once on the way, from the sender's buffer to the receiver's, by
 *                the better of two ways. On one core: by yielding or by sleeping, whichever is quicker
 *   all_reduce   only the memory work; a single number between two ranks: write mine, read the other's
 *   broadcast, all_gather, all_to_all   only the memory work, by the better of two ways
 *   balanced     the work of all ranks divided by the cores
 *   start        fork and exec of so many processes that end at once
 */
#define _GNU_SOURCE
#include "limits.h"
#include "timing.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCHES = 15, LARGE_BATCHES = 5 };

struct shared *shared;
int me;
uint32_t turns_over;
static int cores;

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return memory;
}

/* Each process to a core of its own, where there are two. */
static void pin(void)
{
    cpu_set_t mine, one;
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_ZERO(&one);
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen <= me % cores; cpu++)
        if (CPU_ISSET(cpu, &mine) && seen++ == me % cores)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* The median of one call, in microseconds. Both processes know the number of calls from the size alone. */
static double measure(limit_work *work, long bytes, int ranks)
{
    int times = (int)((8L << 20) / (bytes * ranks + (cores > 1 ? 256 : 4096))), n = BATCHES;
    double took[BATCHES];
    if (times < 1) {
        times = 1;
        n = LARGE_BATCHES;
    }
    work(bytes, times, ranks);
    for (int b = 0; b < n; b++) {
        double start = now();
        work(bytes, times, ranks);
        took[b] = (now() - start) / times;
    }
    return median(took, n);
}

static double best_of(limit_work *one, limit_work *other, long bytes, int ranks)
{
    double a = measure(one, bytes, ranks), b = measure(other, bytes, ranks);
    return a < b ? a : b;
}

static double ping_pong(long bytes)
{
    if (cores == 1)
        return bytes > 8 ? -1 : best_of(yield_and_back, sleep_and_wake, 0, 1) / 2;
    return (bytes > 8 ? best_of(copy_and_back, stream_and_back, bytes, 1) : measure(bounce, 0, 1)) / 2;
}

/* In both processes; negative: there is no such limit. */
static double limit_of(const char *name, long bytes, int ranks)
{
    if (strcmp(name, "ping-pong") == 0)
        return ping_pong(bytes);
    if (strcmp(name, "bounce") == 0 && cores > 1)
        return measure(bounce, 0, 1) / 2;
    if (strcmp(name, "all_reduce") == 0 && cores > 1)
        return bytes == sizeof(float) && ranks == 2 ? measure(swap_letters, 0, 1)
                                                    : measure(reduce_all, bytes, ranks);
    if (strcmp(name, "broadcast") == 0 && cores > 1)
        return best_of(broadcast_plain, broadcast_stream, bytes, ranks);
    if (strcmp(name, "all_gather") == 0 && cores > 1)
        return best_of(gather_plain, gather_stream, bytes, ranks);
    if (strcmp(name, "all_to_all") == 0 && cores > 1)
        return best_of(exchange_plain, exchange_stream, bytes, ranks);
    return -1;
}

/* Two processes, each with a tensor for each rank; the first tells. */
static void with_two(const char *name, long bytes, int ranks)
{
    bool many = strcmp(name, "all_gather") == 0 || strcmp(name, "all_to_all") == 0; /* blocks in a tensor */
    shared = share(sizeof *shared);
    for (int r = 0; r < ranks; r++)
        shared->buffer[r] = share((size_t)bytes * (many ? 2 * (size_t)ranks : 1) + 64);
    pid_t child = fork();
    me = child == 0;
    if (me)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin();
    double us = limit_of(name, bytes, ranks);
    if (me)
        _exit(0);
    waitpid(child, NULL, 0);
    if (us < 0)
        exit(EXIT_HAS_NOT);
    tell(name, ranks, bytes, us, "us");
}

/* The same program, given nothing to do. */
static void start_and_end(const char *self, int processes)
{
    char *const nothing[] = { (char *)(uintptr_t)self, NULL };
    pid_t pids[1024];
    for (int i = 0; i < processes; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            execv(self, nothing);
            _exit(1);
        }
    }
    for (int i = 0; i < processes; i++)
        waitpid(pids[i], NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return 0;
    long bytes = argc == 4 ? atol(argv[2]) : -1;
    int ranks = argc == 4 ? atoi(argv[3]) : 0;
    cpu_set_t mine;
    if (bytes < 0 || ranks < 1 || ranks > 1024) {
        fprintf(stderr, "usage: %s CASE BYTES RANKS\n", argv[0]);
        return 2;
    }
    cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
    if (strcmp(argv[1], "balanced") == 0) {
        tell("balanced", ranks, bytes, 5000.0 * (ranks < cores ? cores : ranks) / cores, "us");
    } else if (strcmp(argv[1], "start") == 0) {
        double start = now();
        start_and_end("/proc/self/exe", ranks);
        tell("start", ranks, bytes, now() - start, "us");
    } else if (ranks > MOST_LIMIT_RANKS) {
        return EXIT_HAS_NOT;
    } else {
        with_two(argv[1], bytes, ranks);
    }
    return 0;
}
