/*
 * protocol.c: the whole protocol, with ranks as threads, so that ThreadSanitizer sees both sides of every message.
 *
 * A plain program: Criterion and ThreadSanitizer do not go together. Exits 0 when every element was right; a race is
 * reported by the sanitizer, which then makes the exit status its own.
 *
 *     build/tsan/tests/tsan/protocol
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 12

static _Atomic int wrong;

/* All elements of t are `value`; say so once where they are not. Frees t. */
static void take(tensor *t, int64_t value, const char *what)
{
    const int64_t *data = tensor_data(t);
    int64_t count = tensor_numel(t);
    for (int64_t i = 0; i < count; i++) {
        if (data[i] != value) {
            fprintf(stderr, "%s: element %lld is %lld and must be %lld\n", what, (long long)i,
                    (long long)data[i], (long long)value);
            atomic_store(&wrong, 1);
            break;
        }
    }
    tensor_free(t);
}

static tensor *filled(int64_t value, int64_t count)
{
    return tensor_full(DIST_I64, (double)value, count);
}

/* Blocking, in the ring: even ranks send first. */
static void ring(int rank, int size, int64_t count)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    tensor *out = filled(rank, count), *in = filled(-1, count);
    if (rank % 2 == 0)
        dist_send(out, next);
    dist_recv(in, before);
    if (rank % 2 == 1)
        dist_send(out, next);
    take(in, before, "ring");
    take(out, rank, "ring, what was sent");
}

/* Non-blocking, to everybody and from everybody, while the rank computes. */
static void all_pairs(int rank, int size, int64_t count)
{
    tensor *out[8], *in[8];
    dist_work *works[16];
    for (int peer = 0; peer < size; peer++) {
        out[peer] = filled(100 * rank + peer, count);
        in[peer] = filled(-1, count);
        works[2 * peer] = dist_isend(out[peer], peer, .tag = peer + rank);
        works[2 * peer + 1] = dist_irecv(in[peer], peer, .tag = peer + rank);
    }
    usleep(500 * (useconds_t)rank);
    dist_wait_all(works, 2 * size);
    for (int peer = 0; peer < size; peer++) {
        take(in[peer], 100 * peer + rank, "all pairs");
        take(out[peer], 100 * rank + peer, "all pairs, what was sent");
    }
}

/* Everybody to rank 0, which takes them as they come. */
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

/* Each collective once. With async, all are under way together. */
static void collectives(int rank, int size, int64_t count, dist_group *group, int me, int members, bool async)
{
    int64_t sum = (int64_t)size * (size - 1) / 2, root = group ? size - 1 : 0;
    if (me < 0)
        return;
    tensor *a = filled(rank, count), *b = filled(rank, count), *c = filled(rank, count);
    tensor *wide = filled(rank, members * count), *all = filled(-1, members * count),
           *part = filled(-1, count);
    tensor *own = filled(7, count);
    dist_work *works[6];
    works[0] = dist_all_reduce(a, .group = group, .async_op = async);
    works[1] = dist_broadcast(b, (int)root, .group = group, .async_op = async);
    works[2] = dist_reduce(c, (int)root, .op = DIST_MAX, .group = group, .async_op = async);
    works[3] = dist_reduce_scatter(part, wide, .group = group, .async_op = async);
    works[4] = dist_barrier(.group = group, .async_op = async);
    works[5] = dist_all_gather(all, own, .group = group, .async_op = async);
    bool between = async && !group && size > 1; /* short blocking messages, while the helper drives those */
    for (int i = 0; between && i < ROUNDS; i++)
        ring(rank, size, 1);
    for (int i = 0; async && i < 6; i++)
        dist_wait(works[i]);
    take(a, sum, "all_reduce");
    take(all, 7, "all_gather");
    take(own, 7, "all_gather, its input");
    take(b, root, "broadcast");
    take(c, rank == root ? size - 1 : rank, "reduce");
    take(part, sum, "reduce_scatter");
    take(wide, rank, "reduce_scatter, its input");
}

static void blocks(int rank, int size, int64_t count)
{
    tensor *wide = filled(rank, size * count), *other = filled(-1, size * count), *one = filled(-1, count);
    dist_all_to_all(other, wide);
    tensor *block = tensor_slice(other, (int64_t)rank * count, (rank + 1) * count);
    take(block, rank, "all_to_all");
    dist_scatter(one, rank == 1 % size ? wide : NULL, 1 % size);
    take(one, 1 % size, "scatter");
    one = filled(rank, count);
    dist_gather(one, rank == 0 ? other : NULL, 0);
    take(one, rank, "gather, its input");
    tensor_free(other);
    tensor_free(wide);
    dist_monitored_barrier(.timeout = 60);
}

static void run(int rank, int size)
{
    int backward[8];
    for (int i = 0; i < size; i++)
        backward[i] = size - 1 - i;
    dist_init_process_group();
    for (int i = 0; size > 1 && i < 2 * ROUNDS;
         i++) /* the quick ways: before anything was started in the background */
        ring(rank, size, (int64_t[]){ 1, 50, 200000 }[i % 3]);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t count = (int64_t[]){ 1, 50, 5000, 60000 }[round % 4];
        dist_group *group = dist_new_group(backward, size);
        if (size > 1)
            ring(rank, size, count);
        all_pairs(rank, size, count);
        any_source(rank, size, count);
        collectives(rank, size, count, NULL, rank, size, round % 2);
        collectives(rank, size, count, group, size - 1 - rank, size, round % 3 == 0);
        blocks(rank, size, count);
        dist_group_free(group);
    }
    dist_destroy_process_group();
    if (atomic_load(&wrong)) /* a process of its own cannot tell main by that word */
        exit(1);
}

int main(void)
{
    setenv("DIST_RANKS", "threads", 0);
    alarm(120);
    int status = dist_spawn(run, 4);
    if (status == 0 && !atomic_load(&wrong)) {
        setenv("DIST_BUFFERING", "eager:4096", 1);
        status = dist_spawn(run, 3);
    }
    return status != 0 ? status : atomic_load(&wrong);
}
