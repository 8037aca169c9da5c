/*
 * streams.c: simulated GPUs, with ranks as threads: kernels and messages on several streams, events, works that are waited
 * for elsewhere, memory that is freed while streams still use it, streams that end, a rank that leaves with something
 * unfinished; and at the end a deadlock, whose report ends the job.
 *
 * A plain program: Criterion and ThreadSanitizer do not go together. Exits 0 when every element was right.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 3000, ROUNDS = 12 };

static _Atomic int wrong;

static void must_be(const tensor *t, double value, const char *what)
{
    double first = tensor_item(t, 0), last = tensor_item(t, tensor_numel(t) - 1);
    if (first == value && last == value)
        return;
    fprintf(stderr, "%s: %g and %g, not %g\n", what, first, last, value);
    atomic_store(&wrong, 1);
}

/* This stream waits for all that stands in that one. */
static void wait_for(dist_stream *waiting, dist_stream *stream)
{
    dist_stream_use(stream);
    dist_event *event = dist_event_record();
    dist_stream_use(waiting);
    dist_event_wait(event);
    dist_event_free(event);
}

/* Around the ring on one stream, summed up on another. */
static void messages(int rank, int size, dist_stream *one, dist_stream *two)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    dist_stream_use(one);
    tensor *out = tensor_full(DIST_F32, rank, COUNT), *in = tensor_zeros(DIST_F32, COUNT);
    dist_work *work = dist_isend(out, next);
    dist_recv(in, before);
    wait_for(two, one);
    dist_wait(work);
    tensor_add(out, in);
    must_be(out, rank + before, "messages");
    tensor_free(out);
    tensor_free(in);
}

static void collectives(int rank, int size, dist_stream *one, dist_stream *two)
{
    dist_stream_use(one);
    tensor *sum = tensor_full(DIST_I64, rank, COUNT), *all = tensor_zeros(DIST_I64, size);
    tensor *mine = tensor_full(DIST_I64, 7, 1);
    dist_work *work = dist_all_reduce(sum, .async_op = true);
    dist_all_gather(all, mine);
    while (rank == 0 && !dist_is_completed(work))
        usleep(50);
    dist_stream_use(two);
    dist_wait(work);
    must_be(sum, size * (size - 1) / 2, "all_reduce");
    wait_for(two, one);
    must_be(all, 7, "all_gather");
    dist_barrier();
    tensor_free(sum);
    tensor_free(all);
    tensor_free(mine);
}

/* Freed at once: the memory goes to others only when the streams have done with it. */
static void freed(int rank, int size, dist_stream *one)
{
    dist_stream_use(one);
    for (int i = 0; i < 8; i++) {
        tensor *out = tensor_full(DIST_F32, i, COUNT), *in = tensor_zeros(DIST_F32, COUNT);
        dist_work *comes = dist_irecv(in, (rank + size - 1) % size, .tag = i);
        dist_send(out, (rank + 1) % size, .tag = i);
        tensor_free(out);
        dist_wait(comes);
        if (i % 3 == 0)
            must_be(in, i, "freed");
        tensor_free(in);
    }
}

static void run(int rank, int size)
{
    dist_init_process_group();
    for (int i = 0; i < ROUNDS; i++) {
        dist_stream *one = dist_stream_new(), *two = dist_stream_new();
        messages(rank, size, one, two);
        collectives(rank, size, one, two);
        freed(rank, size, i % 2 ? one : two);
        dist_event *from = dist_event_record();
        tensor *t = tensor_full(DIST_F32, 1, COUNT);
        dist_event *to = dist_event_record();
        if (dist_event_elapsed(from, to) < 0)
            atomic_store(&wrong, 1);
        tensor_free(t);
        dist_event_free(from);
        dist_event_free(to);
        dist_stream_use(NULL);
        dist_stream_free(one);
        dist_stream_free(two);
    }
    tensor *last = tensor_full(DIST_F32, 1, COUNT), *in = tensor_zeros(DIST_F32, COUNT);
    dist_work *comes = dist_irecv(in, (rank + size - 1) % size);
    dist_send(last, (rank + 1) % size); /* still under way when the rank leaves */
    dist_wait(comes);
    tensor_free(last);
    dist_destroy_process_group();
    must_be(in, 1, "after destroy");
    tensor_free(in);
}

/* Everybody receives, on three streams, and nobody sends. */
static void run_stuck(int rank, int size)
{
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 4);
    for (int i = 0; i < 3; i++) {
        dist_stream_use(i > 0 ? dist_stream_new() : NULL);
        dist_recv(t, (rank + 1) % size, .tag = i);
    }
    dist_synchronize();
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    alarm(110);
    int status = dist_spawn(run, 3);
    setenv("DIST_ALGORITHM", "ring", 1);
    if (status == 0)
        status = dist_spawn(run, 2);
    unsetenv("DIST_ALGORITHM");
    if (status == 0 && dist_spawn(run_stuck, 3) != DIST_ERR_DEADLOCK)
        status = 1;
    return status != 0 ? status : atomic_load(&wrong);
}
