/*
 * leaves.c: ranks that leave the job with operations that they never waited for, one kind a run, by name. What can come to its
 * end does: the result is looked at.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* All ranks in a group of its own, the other way round. */
static dist_group *turned(int size)
{
    int list[16];
    for (int i = 0; i < size; i++)
        list[i] = size - 1 - i;
    return dist_new_group(list, size);
}

/* Some collectives of the group, long and short. */
static void collectives(dist_group *group, tensor *x, tensor *big, tensor *blocks)
{
    dist_all_reduce(x, .group = group, .async_op = true);
    dist_all_reduce(big, .group = group, .async_op = true);
    dist_broadcast(blocks, 0, .group = group, .async_op = true);
    dist_barrier(.group = group, .async_op = true);
}

static void messages(int rank, int size, dist_group *group, tensor *x, tensor *big)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (is("messages"))
        dist_irecv(big, left, .group = group);
    if (is("messages") || is("untaken"))
        dist_isend(x, right, .group = group, .tag = 7); /* nobody takes it */
    if (is("messages"))
        dist_isend(tensor_full(DIST_F32, rank + 1, 100000), right, .group = group);
    if (is("messages"))
        dist_irecv(tensor_zeros(DIST_F32, 3), DIST_ANY_SOURCE, .group = group,
                   .tag = 9); /* nobody sends it */
    if (is("eager")) {
        for (int i = 0; i < 5; i++)
            dist_send(x, right, .group = group, .tag = i);
        usleep(rank == 1 ? 100000 : 0);
        for (int i = 4; i > 0; i--)
            dist_recv(x, left, .group = group, .tag = i);
        dist_group_free(group);
    }
}

/* Two calls that do not fit each other. */
static void differ(int rank)
{
    if (is("differ"))
        dist_all_reduce(tensor_zeros(DIST_F32, 3 + rank % 2), .async_op = true);
    if (is("differ-message") && rank == 0)
        dist_isend(tensor_zeros(DIST_F32, 4), 1);
    if (is("differ-message") && rank == 1)
        dist_irecv(tensor_zeros(DIST_I32, 4), 0);
    dist_barrier();
}

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank + 1, 3), *big = tensor_full(DIST_F32, rank + 1, 100000);
    tensor *blocks = tensor_full(DIST_F32, rank, 1000);
    dist_group *group = turned(size);
    bool all = is("all"), most = is("most") && rank != 1, one = is("one") && rank == 2;
    if (is("late") && rank == 0)
        usleep(200000);
    if (all || most || one || is("late"))
        collectives(group, x, big, blocks);
    dist_group *other = turned(size);
    if (is("crossed"))
        dist_barrier(.group = rank % 2 ? group : other, .async_op = true);
    if (is("world") && rank != 1)
        dist_all_reduce(big, .async_op = true);
    messages(rank, size, group, x, big);
    if (strncmp(what, "differ", 6) == 0)
        differ(rank);
    dist_destroy_process_group();
    double sum = size * (size + 1) / 2;
    if (all || is("late"))
        if (tensor_item(x, 0) != sum || tensor_item(big, 99999) != sum || tensor_item(blocks, 7) != 0)
            printf("rank %d: not over\n", rank);
    if (is("messages") && tensor_item(big, 5) != (rank + size - 1) % size + 1)
        printf("rank %d: not received\n", rank);
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "all";
    return dist_spawn(run, 4);
}
