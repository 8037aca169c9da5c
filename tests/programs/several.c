/*
 * several.c: several threads of each rank call at once: several WHAT [THREADS].
 *
 *   talk    each thread sends to and receives from the thread of its number, with a tag of its own, in every way
 *   meet    each thread has a group of its own, for collectives
 *   both    one half of the threads does the one, the other the other
 *   late    the ranks' first threads wait; what they wait for is sent by threads that compute for a second first
 *   beside  while its first thread sleeps in a receive, another one starts receives of long messages that have come, and computes
 *   stuck   all threads of all ranks wait for messages that nobody sends
 *   sums    rank 0 waits for 40 sums at once, in which rank 1 has no part
 *   waits   two threads of rank 0 wait for one receive
 *   rename  a thread that has another name than its rank's
 *
 * With a third word "refused" the system refuses membarrier to all of them.
 */
#define _GNU_SOURCE
#include "dist.h"

#if __has_include(<linux/filter.h>) /* musl's compiler knows no headers of the kernel */
#define CAN_REFUSE 1
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 40, ROUNDS = 60, BESIDE = 24 };

static const char *what;
static int threads = 4;

struct part {
    int rank, size, number;
    dist_group *group;
    dist_work *work; /* one for all threads of a rank; NULL: none */
    pthread_t thread;
};

static bool is(const char *word)
{
    return strcmp(what, word) == 0;
}

static void check(const tensor *t, double must, const char *name, const struct part *part)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        if (tensor_item(t, i) != must) {
            fprintf(stderr, "%s: element %lld is %g and must be %g (rank %d, thread %d)\n", name,
                    (long long)i, tensor_item(t, i), must, part->rank, part->number);
            exit(1);
        }
}

static void talk(const struct part *part, int round)
{
    static const int64_t counts[] = { 1, 2, 100, 3000, 20000, 200000 };
    int64_t count = counts[round % 6];
    int next = (part->rank + 1) % part->size, before = (part->rank + part->size - 1) % part->size;
    double value = 1000 * part->number + round;
    tensor *out = tensor_full(DIST_F32, value + 0.5 * part->rank, count), *in = tensor_zeros(DIST_F32, count);
    if (round % 3 == 0) {
        dist_work *works[] = { dist_irecv(in, round % 2 ? before : DIST_ANY_SOURCE, .tag = part->number),
                               dist_isend(out, next, .tag = part->number) };
        while (round % 4 == 0 && !dist_is_completed(works[1]))
            usleep(10);
        dist_wait_all(works, 2);
    } else if (part->rank % 2 == 0) {
        dist_send(out, next, .tag = part->number);
        dist_recv(in, before, .tag = part->number);
    } else {
        dist_recv(in, before, .tag = part->number);
        dist_send(out, next, .tag = part->number);
    }
    check(in, value + 0.5 * before, "a message", part);
    tensor_free(out);
    tensor_free(in);
}

static void meet(const struct part *part, int round)
{
    static const int64_t counts[] = { 1, 100, 3000, 30000 };
    tensor *x = tensor_full(DIST_F64, part->rank + part->number, counts[round % 4]);
    dist_work *work = dist_all_reduce(x, .group = part->group, .async_op = round % 3 == 0);
    if (work)
        dist_wait(work);
    check(x, part->size * (part->size - 1) / 2 + part->size * part->number, "all_reduce", part);
    dist_barrier(.group = part->group);
    tensor_free(x);
}

/* With whichever thread of the next rank looks first. */
static void late(const struct part *part)
{
    tensor *t = tensor_full(DIST_F32, part->rank, 1);
    usleep(1200000);
    dist_send(t, (part->rank + 1) % part->size);
    tensor_free(t);
}

static void compute(double seconds)
{
    for (double end = dist_time() + seconds; dist_time() < end;)
        ;
}

/* With 2 ranks. How many were there when it had computed? It must not call for that, nor look as a program should. */
static void beside(const struct part *part)
{
    tensor *t = tensor_full(DIST_F32, 1, 10000);
    int came = 0;
    for (int round = 0; round < BESIDE; round++) {
        if (part->rank == 1) {
            dist_send(t, 0, .tag = 1);
            continue;
        }
        tensor_fill(t, 0);
        usleep(10000 + 1000 * (unsigned)round);
        dist_work *work = dist_irecv(t, 1, .tag = 1);
        compute(0.025);
        came += ((volatile float *)tensor_data(t))[9999] != 0;
        dist_wait(work);
    }
    if (part->rank == 1)
        dist_send(t, 0, .tag = 77);
    else if (came < BESIDE / 2)
        fprintf(stderr, "only %d of %d messages came while the rank computed\n", came, BESIDE);
    if (part->rank == 0 && came < BESIDE / 2)
        exit(1);
    tensor_free(t);
}

static void stuck(const struct part *part)
{
    tensor *t = tensor_zeros(DIST_F32, 1);
    dist_recv(t, (part->rank + 1) % part->size, .tag = part->number);
}

/* Those that are made of messages have a thread each. */
static void sums(int rank)
{
    dist_work *works[MOST];
    for (int i = 0; i < MOST && rank == 0; i++)
        works[i] = dist_all_reduce(tensor_zeros(DIST_F32, 4), .async_op = true);
    if (rank == 0)
        dist_wait_all(works, MOST);
    else
        dist_recv(tensor_zeros(DIST_F32, 4), 0);
}

static void *work_on(void *argument)
{
    const struct part *part = argument;
    bool talks = is("talk") || (is("both") && part->number % 2 == 0), meets = is("meet") || is("both");
    for (int round = 0; round < ROUNDS && (talks || meets); round++)
        (talks ? talk : meet)(part, round);
    if (is("late") && part->number == 1)
        late(part);
    if (is("beside") && part->number == 1)
        beside(part);
    if (is("stuck"))
        stuck(part);
    if (part->work)
        dist_wait(part->work);
    if (is("rename")) {
        prctl(PR_SET_NAME, "other");
        dist_get_rank();
    }
    return NULL;
}

static void run(int rank, int size)
{
    struct part parts[MOST];
    int ranks[MOST];
    dist_init_process_group();
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    for (int i = 0; i < threads; i++)
        parts[i] = (struct part){ rank, size, i, dist_new_group(ranks, size), NULL, 0 };
    if (is("waits") && rank == 0)
        parts[0].work = parts[1].work = dist_irecv(tensor_zeros(DIST_F32, 1), size - 1);
    for (int round = 0; round < ROUNDS && is("talk"); round++) /* alone, and quickly, before others come */
        talk(&parts[0], round % 3 == 0 ? 1 : round % 2);
    for (int i = 1; i < threads; i++)
        pthread_create(&parts[i].thread, NULL, work_on, &parts[i]);
    work_on(&parts[0]);
    if (is("sums"))
        sums(rank);
    if (is("waits") && rank == size - 1 && usleep(50000) == 0) /* both wait by then */
        dist_send(tensor_zeros(DIST_F32, 1), 0);
    if (is("late")) {
        tensor *t = tensor_zeros(DIST_F32, 1);
        dist_recv(t, (rank + size - 1) % size);
        check(t, (rank + size - 1) % size, "a late message", &parts[0]);
        tensor_free(t);
    }
    if (is("beside") && rank == 0) {
        tensor *t = tensor_zeros(DIST_F32, 10000);
        dist_recv(t, 1, .tag = 77);
        tensor_free(t);
    }
    for (int i = 1; i < threads; i++)
        pthread_join(parts[i].thread, NULL);
    for (int i = 0; i < threads; i++)
        dist_group_free(parts[i].group);
    dist_destroy_process_group();
    if (rank == 0)
        puts("well");
}

static void refuse_membarrier(void)
{
#ifdef CAN_REFUSE
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0 || syscall(SYS_membarrier, 0, 0, 0) != -1) {
        perror("seccomp");
        exit(1);
    }
#else
    fputs("built without the kernel's headers: nothing can be refused\n", stderr);
    exit(1);
#endif
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "talk";
    threads = argc > 2 ? atoi(argv[2]) : threads;
    bool refused = argc > 3 && strcmp(argv[3], "refused") == 0;
    if (refused)
        refuse_membarrier();
    return dist_spawn(run, argc > 3 && !refused ? atoi(argv[3]) : 2);
}
