/*
 * bench_limits.c: what the machine allows, in plain C: two processes that share memory, and no library.
 *
 *   ping-pong   a flag in a cache line goes back and forth; larger messages are copied once on the way, from the
 *               sender's buffer to the receiver's
 *   barrier     each says that it is there, and waits for the other
 *   all_reduce  only the memory work: read every rank's tensor, add, write every rank's tensor; each process
 *               does half of it, whatever the number of ranks
 *   futex       the same flag, but the other side sleeps in the kernel and is woken
 */
#define _GNU_SOURCE
#include "timing.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RANKS = 4, BLOCK = 1024 };
#define MOST_BYTES (64L << 20)

/* What both processes see. */
struct shared {
    alignas(128) _Atomic uint32_t
        flag[2]; /* flag[0]: written by both in turn; flag[1]: by the other in a barrier */
    alignas(128) _Atomic uint32_t here[2][32]; /* here[r][0]: how many barriers process r has reached */
    char *buffer[MOST_RANKS];
};

static struct shared *shared;
static int me; /* 0 or 1 */

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return memory;
}

static void meet(void)
{
    uint32_t turn = atomic_fetch_add(&shared->here[me][0], 1) + 1;
    while (atomic_load_explicit(&shared->here[1 - me][0], memory_order_acquire) < turn)
        ;
}

/* One way there or back: wait until the flag says that it is my turn, copy what lies in the other's buffer, hand on. */
static void turn_of(int who, uint32_t turn, long bytes)
{
    if (me != who)
        return;
    while (atomic_load_explicit(&shared->flag[0], memory_order_acquire) != turn)
        ;
    if (bytes > 8)
        memcpy(shared->buffer[me], shared->buffer[1 - me], (size_t)bytes);
    atomic_store_explicit(&shared->flag[0], turn + 1, memory_order_release);
}

static void ping(long bytes, int calls, int unused)
{
    (void)unused;
    uint32_t turn = atomic_load(&shared->flag[0]);
    meet();
    for (int i = 0; i < calls; i++, turn += 2) {
        turn_of(0, turn, bytes);
        turn_of(1, turn + 1, bytes);
    }
    meet();
}

static void barrier(long bytes, int calls, int unused)
{
    (void)bytes;
    (void)unused;
    for (int i = 0; i < calls; i++)
        meet();
}

static void futex(_Atomic uint32_t *word, int what, uint32_t value)
{
    syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}

static void sleep_and_wake(long bytes, int calls, int unused)
{
    (void)bytes;
    (void)unused;
    uint32_t turn = atomic_load(&shared->flag[1]);
    meet();
    for (uint32_t end = turn + 2 * (uint32_t)calls; turn < end; turn += 2) {
        uint32_t seen;
        while ((seen = atomic_load(&shared->flag[1])) != turn + (uint32_t)me)
            futex(&shared->flag[1], FUTEX_WAIT, seen);
        atomic_store(&shared->flag[1], turn + (uint32_t)me + 1);
        futex(&shared->flag[1], FUTEX_WAKE, 1);
    }
    meet();
}

static void add(float *restrict sum, const float *restrict x, long count)
{
    for (long i = 0; i < count; i++)
        sum[i] += x[i];
}

/* My half, in blocks that stay in the first cache. */
static void all_reduce(long bytes, int calls, int ranks)
{
    long count = bytes / (long)sizeof(float), from = me ? count / 2 : 0, to = me ? count : count / 2;
    float sum[BLOCK];
    for (int c = 0; c < calls; c++) {
        for (long i = from; i < to; i += BLOCK) {
            long n = to - i < BLOCK ? to - i : BLOCK;
            memcpy(sum, (float *)(void *)shared->buffer[0] + i, (size_t)n * sizeof(float));
            for (int r = 1; r < ranks; r++)
                add(sum, (float *)(void *)shared->buffer[r] + i, n);
            for (int r = 0; r < ranks; r++)
                memcpy((float *)(void *)shared->buffer[r] + i, sum, (size_t)n * sizeof(float));
        }
        meet();
    }
}

static void measure(void (*work)(long, int, int), const char *name, int ranks, long bytes,
                    double share_of_call)
{
    int calls = calls_in_batch(bytes), n = batches_of(bytes);
    double times[MOST_BATCHES];
    work(bytes, calls, ranks);
    for (int b = 0; b < n; b++) {
        double start = now();
        work(bytes, calls, ranks);
        times[b] = (now() - start) / calls * share_of_call;
    }
    if (me == 0)
        tell(name, ranks, bytes, median(times, n));
}

static void run(void)
{
    static const long ping_bytes[] = { 8, 4 << 10, 1 << 20, 64 << 20 };
    static const long reduce_bytes[] = { 256 << 10, 4 << 20, 64 << 20 };
    for (int i = 0; i < 4; i++)
        measure(ping, "ping-pong", 2, ping_bytes[i], 0.5);
    measure(barrier, "barrier", 2, 0, 1);
    for (int ranks = 2; ranks <= MOST_RANKS; ranks += 2)
        for (int i = 0; i < 3; i++)
            measure(all_reduce, "all_reduce", ranks, reduce_bytes[i], 1);
    measure(sleep_and_wake, "futex", 2, 0, 0.5);
}

/* Each process on a core of its own, the first and the last of those that we may use. */
static void pin(void)
{
    cpu_set_t mine, one;
    sched_getaffinity(0, sizeof mine, &mine);
    int first = -1, last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &mine)) {
            first = first < 0 ? cpu : first;
            last = cpu;
        }
    CPU_ZERO(&one);
    CPU_SET(me ? last : first, &one);
    sched_setaffinity(0, sizeof one, &one);
    if (first == last) {
        fprintf(stderr, "only one core: its limits were not measured\n");
        exit(0);
    }
}

int main(void)
{
    shared = share(sizeof *shared);
    for (int r = 0; r < MOST_RANKS; r++)
        shared->buffer[r] = share(MOST_BYTES);

    pid_t child = fork();
    me = child == 0;
    if (me)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin();
    run();
    if (me == 0)
        waitpid(child, NULL, 0);
    return 0;
}
