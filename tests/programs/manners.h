/* manners.h: what the programs of manners.c and signals.c begin and go on with: calls of all kinds, and that their results are right. */
#ifndef MANNERS_H
#define MANNERS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;

static inline bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

static inline void expect(bool right, const char *words)
{
    if (right)
        return;
    fprintf(stderr, "%s: not so: %s\n", what, words);
    exit(99);
}

static inline void all_collectives(tensor *x, tensor *y, tensor *all, int rank, int size)
{
    dist_work *work = dist_all_reduce(x, .op = DIST_MIN, .async_op = true);
    while (!dist_is_completed(work))
        ;
    dist_wait(work);
    dist_broadcast(x, size - 1);
    dist_reduce(x, 0);
    dist_gather(y, rank == 0 ? all : NULL, 0);
    dist_scatter(y, rank == 0 ? all : NULL, 0);
    dist_all_gather(all, y);
    dist_reduce_scatter(y, all);
    expect(dist_monitored_barrier() == 0, "monitored_barrier");
    dist_barrier();
    dist_group *group = dist_new_group((int[]){ 0, size - 1 }, size > 1 ? 2 : 1);
    if (dist_get_rank(group) >= 0)
        dist_all_reduce(y, .group = group);
    dist_group_free(group);
}

/* Every kind of call, `turns` times, with messages short and long. */
static inline void all_calls(int rank, int size, int turns)
{
    tensor *x = tensor_zeros(DIST_I32, 4), *y = tensor_zeros(DIST_I32, 4);
    tensor *big = tensor_zeros(DIST_I32, 300000), *in = tensor_zeros(DIST_I32, 300000);
    tensor *all = tensor_zeros(DIST_I32, 4 * size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int turn = 0; turn < turns; turn++) {
        tensor_fill(x, rank + turn);
        tensor_fill(big, rank + turn);
        dist_work *works[2] = { dist_isend(x, next), dist_irecv(y, before) };
        expect(dist_wait_all(works, 2) == 0 && tensor_item(y, 3) == before + turn, "messages");
        works[0] = dist_isend(big, next, .tag = 3);
        expect(dist_recv(in, DIST_ANY_SOURCE, .tag = 3) == before, "a long receive");
        expect(dist_wait(works[0]) == 0 && tensor_item(in, 299999) == before + turn, "a long message");
        if (rank > 0)
            dist_recv(y, before, .tag = 1);
        if (turn % 5 == 0)
            usleep((unsigned)(rank * 3000)); /* the others sleep meanwhile */
        if (rank < size - 1)
            dist_send(x, next, .tag = 1);
        dist_all_reduce(x);
        expect(tensor_item(x, 0) == size * (size - 1) / 2 + size * turn, "all_reduce");
        dist_all_reduce(big, .op = DIST_MAX);
        expect(tensor_item(big, 7) == size - 1 + turn, "a long all_reduce");
        all_collectives(x, y, all, rank, size);
    }
    tensor *mine[] = { x, y, big, in, all };
    for (int i = 0; i < 5; i++)
        tensor_free(mine[i]);
}

#endif
