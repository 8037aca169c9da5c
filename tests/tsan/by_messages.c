/* by_messages.c: asynchronous collectives done by messages, each by a thread of its own, while the ranks compute. */
#define _GNU_SOURCE
#include "dist.h"

#include <stdlib.h>

enum { COUNT = 5000, ROUNDS = 6 };

static void check(const tensor *t, double expected, const char *what)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        if (tensor_item(t, i) != expected) {
            fprintf(stderr, "%s: element %lld is %g and must be %g\n", what, (long long)i, tensor_item(t, i),
                    expected);
            exit(1);
        }
}

/* Two under way at the same time, and messages of the program between them. */
static void round_of(int rank, int n)
{
    tensor *sum = tensor_full(DIST_F32, rank + 1, COUNT), *copy = tensor_full(DIST_I32, rank, COUNT);
    tensor *note = tensor_full(DIST_F64, rank, 3), *other = tensor_zeros(DIST_F64, 3);
    dist_work *works[] = {
        dist_all_reduce(sum, .async_op = true), dist_broadcast(copy, n - 1, .async_op = true),
        dist_irecv(other, (rank + n - 1) % n),  dist_isend(note, (rank + 1) % n),
        dist_barrier(.async_op = true),
    };
    dist_wait(works[3]);
    dist_wait(works[2]);
    check(other, (rank + n - 1) % n, "message");
    dist_all_reduce(other, .op = DIST_MAX);
    check(other, n - 1, "blocking all_reduce");
    dist_wait(works[4]);
    dist_wait(works[0]);
    dist_wait(works[1]);
    check(sum, n * (n + 1) / 2, "all_reduce");
    check(copy, n - 1, "broadcast");
    tensor_free(other);
    tensor_free(note);
    tensor_free(copy);
    tensor_free(sum);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    for (int i = 0; i < ROUNDS; i++)
        round_of(rank, world_size);
    dist_destroy_process_group();
}

int main(void)
{
    static const char *const names[] = { "messages", "tree", "ring", "halving" };
    int status = 0;
    for (int i = 0; i < 4 && status == 0; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        status = dist_spawn(run, 3 + i);
    }
    return status;
}
