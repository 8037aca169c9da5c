/*
 * gpus.c: the CUDA backend on simulated GPUs, under ThreadSanitizer: ranks whose threads enqueue into each other's streams.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 12

static _Atomic int wrong;

/* All elements are `value`. Frees the tensor. */
static void take(tensor *t, double value, const char *what)
{
    double sum = tensor_sum(t), must = value * (double)tensor_numel(t);
    if (sum != must) {
        fprintf(stderr, "%s: the sum is %g and must be %g\n", what, sum, must);
        atomic_store(&wrong, 1);
    }
    tensor_free(t);
}

static tensor *filled(double value, int64_t count)
{
    return tensor_full(DIST_F32, value, count);
}

/* In the stream, one behind the other; nobody waits until the end. */
static void chain(int rank, int size, int64_t count)
{
    tensor *x = filled(rank == 0, count);
    if (rank > 0)
        dist_recv(x, rank - 1);
    tensor_add_scalar(x, 1);
    if (rank < size - 1)
        dist_send(x, rank + 1);
    take(x, rank + 2, "chain");
}

/* On a stream of its own, received in another order than sent, some from anybody. */
static void all_pairs(int rank, int size, int64_t count)
{
    tensor *out[8], *in[8];
    dist_work *works[16];
    dist_stream *stream = dist_stream_new();
    dist_event *made = NULL;
    for (int peer = 0; peer < size; peer++) {
        out[peer] = filled(100 * rank + peer, count);
        in[peer] = filled(-1, count);
    }
    made = dist_event_record();
    dist_stream_use(stream);
    dist_event_wait(made);
    dist_event_free(made);
    for (int peer = 0; peer < size; peer++) {
        works[peer] = dist_isend(out[peer], peer, .tag = peer + rank);
        works[size + peer] = dist_irecv(in[size - 1 - peer], size - 1 - peer, .tag = size - 1 - peer + rank);
    }
    usleep(300 * (useconds_t)rank);
    for (int i = 2 * size - 1; i >= 0; i--)
        dist_wait(works[i]);
    for (int peer = 0; peer < size; peer++) {
        take(in[peer], 100 * peer + rank, "all pairs");
        take(out[peer], 100 * rank + peer, "all pairs, what was sent");
    }
    dist_stream_use(NULL);
    dist_stream_free(stream);
}

static void any_source(int rank, int size, int64_t count)
{
    tensor *out = filled(rank, count);
    if (rank > 0)
        dist_send(out, 0, .tag = 7);
    for (int i = 1; rank == 0 && i < size; i++) {
        tensor *in = filled(-1, count);
        int from = dist_recv(in, DIST_ANY_SOURCE, .tag = 7);
        take(in, from, "any source");
    }
    take(out, rank, "any source, what was sent");
}

static void collectives(int rank, int size, int64_t count, dist_group *group, bool async)
{
    double sum = size * (size - 1) / 2;
    tensor *a = filled(rank, count), *b = filled(rank, count), *c = filled(rank, count),
           *own = filled(7, count);
    tensor *wide = filled(rank, size * count), *all = filled(-1, size * count), *part = filled(-1, count);
    tensor *other = filled(-1, size * count);
    dist_work *works[7];
    works[0] = dist_all_reduce(a, .group = group, .async_op = async);
    works[1] = dist_broadcast(b, size - 1, .group = group, .async_op = async);
    works[2] = dist_reduce(c, 0, .op = DIST_MAX, .group = group, .async_op = async);
    works[3] = dist_reduce_scatter(part, wide, .group = group, .async_op = async);
    works[4] = dist_all_gather(all, own, .group = group, .async_op = async);
    works[5] = dist_barrier(.group = group, .async_op = async);
    works[6] = dist_all_to_all(other, wide, .group = group, .async_op = async);
    for (int i = 0; async && i < 7; i++)
        dist_wait(works[i]);
    take(a, sum, "all_reduce");
    take(b, size - 1, "broadcast");
    take(c, rank == 0 ? size - 1 : rank, "reduce");
    take(part, sum, "reduce_scatter");
    take(all, 7, "all_gather");
    take(other, (size - 1) / 2.0, "all_to_all");
    take(wide, rank, "all_to_all, its input");
    take(own, 7, "all_gather, its input");
}

static void run(int rank, int size)
{
    int backward[8];
    for (int i = 0; i < size; i++)
        backward[i] = size - 1 - i;
    dist_init_process_group();
    for (int round = 0; round < ROUNDS; round++) {
        int64_t count = (int64_t[]){ 1, 50, 5000, 60000 }[round % 4];
        dist_group *group = dist_new_group(backward, size);
        chain(rank, size, count);
        all_pairs(rank, size, count);
        any_source(rank, size, count);
        collectives(rank, size, count, NULL, round % 2);
        collectives(rank, size, count, group, round % 3 == 0);
        dist_group_free(group);
    }
    dist_destroy_process_group();
    if (atomic_load(&wrong)) /* a process of its own cannot tell main by that word */
        exit(1);
}

int main(void)
{
    setenv("BACKEND", "cuda", 1);
    setenv("DEVICE", "sim", 1);
    unsetenv("DIST_RANKS");
    alarm(120);
    int status = dist_spawn(run, 4);
    if (status == 0) {
        setenv("DIST_BUFFERING", "eager:4096", 1);
        status = dist_spawn(run, 3);
    }
    return status;
}
