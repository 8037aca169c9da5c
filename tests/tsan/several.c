/*
 * several.c: several threads of each rank call at once, with ranks as threads, under ThreadSanitizer: messages in every way with a
 * tag for each thread, and collectives in a group for each. First two make tensors, then one alone goes the quick ways.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 25 };

static _Atomic int wrong;

struct part {
    int rank, size, number;
    dist_group *group;
    pthread_t thread;
};

static void take(tensor *t, double must, const char *what)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        if (tensor_item(t, i) != must)
            atomic_store(&wrong, 1);
    if (atomic_load(&wrong))
        fprintf(stderr, "%s: the first element is %g and must be %g\n", what, tensor_item(t, 0), must);
    tensor_free(t);
}

static void talk(const struct part *part, int round)
{
    int64_t count = (int64_t[]){ 1, 50, 5000, 60000 }[round % 4];
    int next = (part->rank + 1) % part->size, before = (part->rank + part->size - 1) % part->size;
    double value = 100 * part->number + round;
    tensor *out = tensor_full(DIST_F32, value + 0.25 * part->rank, count),
           *in = tensor_zeros(DIST_F32, count);
    if (round % 3 == 1) {
        dist_work *works[] = { dist_irecv(in, round % 2 ? before : DIST_ANY_SOURCE, .tag = part->number),
                               dist_isend(out, next, .tag = part->number) };
        dist_is_completed(works[1]);
        dist_wait_all(works, 2);
    } else if (part->rank % 2 == 0) {
        dist_send(out, next, .tag = part->number);
        dist_recv(in, before, .tag = part->number);
    } else {
        dist_recv(in, before, .tag = part->number);
        dist_send(out, next, .tag = part->number);
    }
    take(in, value + 0.25 * before, "message");
    tensor_free(out);
}

static void meet(const struct part *part, int round)
{
    tensor *x = tensor_full(DIST_F64, part->rank + part->number, round % 2 ? 4 : 9000);
    dist_work *work = dist_all_reduce(x, .group = part->group, .async_op = round % 3 == 0);
    if (work)
        dist_wait(work);
    take(x, part->size * (part->size - 1) / 2 + part->size * part->number, "all_reduce");
}

static void *work_on(void *argument)
{
    const struct part *part = argument;
    for (int round = 0; round < ROUNDS; round++)
        (part->number % 2 ? meet : talk)(part, round);
    return NULL;
}

static void *make_first(void *argument)
{
    tensor_free(tensor_zeros(DIST_F32, 1));
    return argument;
}

/* Two threads make the rank's first tensors at the same time. */
static void begin(void)
{
    pthread_t other;
    pthread_create(&other, NULL, make_first, NULL);
    make_first(NULL);
    pthread_join(other, NULL);
}

static void run(int rank, int size)
{
    struct part parts[THREADS];
    int ranks[8];
    dist_init_process_group();
    begin();
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    for (int i = 0; i < THREADS; i++)
        parts[i] = (struct part){ rank, size, i, dist_new_group(ranks, size), 0 };
    for (int round = 0; round < 600; round++)
        talk(&parts[0], 12 * round);
    for (int i = 1; i < THREADS; i++)
        pthread_create(&parts[i].thread, NULL, work_on, &parts[i]);
    work_on(&parts[0]); /* not behind a barrier: the others come while it goes the quick way */
    for (int i = 1; i < THREADS; i++)
        pthread_join(parts[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        dist_group_free(parts[i].group);
    dist_destroy_process_group();
    if (atomic_load(&wrong)) /* a process of its own cannot tell main by that word */
        exit(1);
}

int main(void)
{
    setenv("DIST_RANKS", "threads", 0);
    alarm(120);
    int status = dist_spawn(run, 2);
    if (status == 0) {
        setenv("DIST_BUFFERING", "eager:4096", 1);
        status = dist_spawn(run, 4);
    }
    return status;
}
