/*
 * quick.c: short blocking messages, barriers and tiny all_reduces alone, with ranks as threads: as soon as something is
 * asynchronous they no longer go the quick way (protocol.c), and ThreadSanitizer shall see that, too.
 *
 *     build/tsan/tests/tsan/quick
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 3000

static _Atomic int wrong;
static int written; /* by one rank, before a barrier; read by all behind it */

static void expect(const tensor *t, int value, int round)
{
    if (tensor_numel(t) == 0 || tensor_item(t, tensor_numel(t) - 1) == value)
        return;
    fprintf(stderr, "round %d: %g in place of %d\n", round, tensor_item(t, tensor_numel(t) - 1), value);
    atomic_store(&wrong, 1);
}

/* One message there and one back: inside the envelope, and behind it; wanted, and (a tag too large for that) not. */
static void there_and_back(tensor *t, int rank, int from, int to, int round)
{
    int tag = round % 5 == 0 ? 20000 : round % 3;
    if (rank == from) {
        tensor_fill(t, round);
        dist_send(t, to, .tag = tag);
        tensor_fill(t, -1);
        dist_recv(t, to, .tag = tag);
        expect(t, round + 1, round);
    } else if (rank == to) {
        dist_recv(t, from, .tag = tag);
        expect(t, round, round);
        tensor_fill(t, round + 1);
        dist_send(t, from, .tag = tag);
    }
}

static void meet(int rank, int from, int round)
{
    if (rank == from)
        written = round;
    dist_barrier();
    if (written != round)
        atomic_store(&wrong, 1);
    dist_barrier();
}

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *tensors[] = { tensor_zeros(DIST_I32, 1), tensor_zeros(DIST_I32, 2), tensor_zeros(DIST_I32, 3),
                          tensor_zeros(DIST_I32, 10), tensor_zeros(DIST_I32, 0) };
    for (int round = 0; round < ROUNDS; round++) {
        int from = round / 7 % size;
        tensor *t = tensors[round % 5];
        if (round % 100 == rank)
            usleep(200);
        there_and_back(t, rank, from, (from + 1) % size, round);
        if (round % 4)
            continue;
        tensor_fill(t, rank);
        dist_all_reduce(t);
        expect(t, size * (size - 1) / 2, round);
        meet(rank, from, round);
    }
    for (int i = 0; i < 5; i++)
        tensor_free(tensors[i]);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_RANKS", "threads", 1);
    alarm(120);
    int status = dist_spawn(run, 2);
    if (status == 0)
        status = dist_spawn(run, 3);
    return status != 0 ? status : atomic_load(&wrong);
}
