/*
 * anybody.c: receives from anybody: in what order messages are taken, and what depends on it. By name (test_anybody.c).
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

/* A word from one rank to another: what came before it there comes before what follows here. */
static void after(int rank, int first, int then)
{
    tensor *word = tensor_zeros(DIST_U8, 1);
    if (rank == first)
        dist_send(word, then, .tag = 99);
    if (rank == then)
        dist_recv(word, first, .tag = 99);
    tensor_free(word);
}

/* The last rank sends first, and rank 0 comes when all have sent. */
static void in_order(int rank, int size, int64_t count, bool blocking)
{
    tensor *x = tensor_full(DIST_I32, rank, count);
    dist_work *work = NULL;
    for (int sender = size - 1; sender > 0; sender--) {
        if (rank == sender && !blocking)
            work = dist_isend(x, 0);
        after(rank, sender, sender - 1);
        if (rank == sender && blocking)
            dist_send(x, 0);
        if (rank == sender - 1 && blocking)
            usleep(100000);
    }
    for (int expected = size - 1; rank == 0 && expected > 0; expected--) {
        int from = dist_recv(x, DIST_ANY_SOURCE);
        if (from != expected || tensor_item(x, 0) != expected)
            printf("rank %d's message came where rank %d's was sent first\n", from, expected);
    }
    if (work)
        dist_wait(work);
    tensor_free(x);
}

/* Whoever sends first: two messages that nothing puts in order. */
static void race(int rank, tensor *x)
{
    if (rank == 0) {
        dist_recv(x, DIST_ANY_SOURCE); /* mark race */
        dist_recv(x, DIST_ANY_SOURCE);
    } else if (rank == 1) {
        dist_send(x, 0); /* mark race-1 */
    } else if (rank == 2) {
        dist_send(x, 0); /* mark race-2 */
    }
}

/* The first receive may take what the second is meant for, which then waits for ever. */
static void starves(int rank, tensor *x)
{
    if (rank == 0) {
        dist_recv(x, DIST_ANY_SOURCE); /* mark starves */
        dist_recv(x, 2);               /* mark starves-then */
    } else if (rank == 1) {
        dist_send(x, 0); /* mark starves-1 */
    } else if (rank == 2) {
        if (!is("starves-shuffled"))
            usleep(200000);
        dist_send(x, 0); /* mark starves-2 */
    }
}

/* A receive that was posted before its rank told anybody anything. */
static void posted_early(int rank, tensor *x)
{
    if (rank == 0) {
        dist_work *work = dist_irecv(x, DIST_ANY_SOURCE); /* mark early */
        after(rank, 0, 2);
        dist_wait(work);
        dist_recv(x, DIST_ANY_SOURCE);
    } else {
        after(rank, 0, 2);
        if (rank < 3)
            dist_send(x, 0); /* mark early-send */
    }
}

/* ---- nothing depends on luck ---------------------------------------------------------------- */

/* What puts two messages in order: that the first was taken, told by a message, by a look, by a barrier, by the end of its send; another tag;
 * another group; one sender. */
static void in_turn(int rank, tensor *x)
{
    dist_work *work = NULL;
    if (rank == 0)
        dist_recv(x, DIST_ANY_SOURCE);
    else if (rank == 1)
        dist_send(x, 0);
    after(rank, is("told") ? 0 : 1, 2);
    if (is("barrier"))
        dist_barrier();
    if (rank == 2)
        dist_send(x, 0);
    if (rank == 0 && !is("looked"))
        dist_recv(x, DIST_ANY_SOURCE);
    if (rank == 0 && is("looked")) {
        work = dist_irecv(x, DIST_ANY_SOURCE);
        while (!dist_is_completed(work))
            ;
    }
    after(rank, 0, 3);
    if (rank == 3)
        dist_send(x, 0);
    if (rank == 0)
        dist_recv(x, DIST_ANY_SOURCE);
    if (work)
        dist_wait(work);
}

/* Without buffers they would not be over yet, and be waited for after the receives. */
static void asked(int rank, int size, tensor *x)
{
    dist_work *out = dist_isend(x, (rank + 1) % size);
    tensor *y = tensor_zeros(DIST_I32, 1);
    bool over = dist_is_completed(out);
    if (over)
        dist_wait(out);
    dist_recv(y, (rank + size - 1) % size);
    if (!over)
        dist_wait(out);
    tensor_free(y);
}

static void apart(int rank, tensor *x, dist_group *group)
{
    if (rank == 0) {
        dist_recv(x, DIST_ANY_SOURCE, .tag = 1);
        dist_recv(x, DIST_ANY_SOURCE, .tag = 2);
        dist_recv(x, DIST_ANY_SOURCE, .tag = 2, .group = group);
        dist_recv(x, 1, .tag = 3);
        dist_recv(x, 3, .tag = 3);
    } else {
        dist_work *works[] = { dist_isend(x, 0, .tag = rank < 3 ? rank : 3),
                               dist_isend(x, 0, .tag = rank == 3 ? 2 : 7,
                                          .group = rank == 3 ? group : NULL) };
        if (rank == 1)
            dist_send(x, 0, .tag = 3);
        dist_wait_all(works, rank == 3 ? 2 : 1);
        if (rank < 3)
            dist_wait(works[1]);
    }
    for (int i = 1; rank == 0 && i < 3; i++)
        dist_recv(x, i, .tag = 7);
}

static void reduced(int rank, tensor *x)
{
    tensor *y = tensor_zeros(DIST_I32, 1);
    if (rank == 0)
        dist_recv(x, DIST_ANY_SOURCE);
    else if (rank == 1)
        dist_send(x, 0);
    dist_broadcast(y, 0);
    if (rank == 2)
        dist_send(x, 0);
    else if (rank == 0)
        dist_recv(x, DIST_ANY_SOURCE);
    dist_reduce(y, 3);
    tensor_free(y);
}

/* Very many, and any could have come for any receive. When it was over, is printed. */
static void flood(int rank, int size, tensor *x)
{
    const int each = 30000;
    for (int i = 0; i < (rank == 0 ? each * (size - 1) : each); i++)
        if (rank == 0)
            dist_recv(x, DIST_ANY_SOURCE);
        else
            dist_send(x, 0);
    if (rank == 0)
        printf("%f\n", dist_time());
}

static void run(int rank, int size)
{
    dist_init_process_group();
    for (int round = 0; round < 3; round++) {
        if (is("isend") || is("large-isend"))
            in_order(rank, size, is("isend") ? 1 : 100000, false);
        else if (is("send") || is("large-send"))
            in_order(rank, size, is("send") ? 1 : 100000, true);
        dist_barrier();
    }
    tensor *x = tensor_zeros(DIST_I32, 1);
    dist_group *group = dist_new_group(((int[]){ 0, 3 }), 2);
    if (is("race"))
        race(rank, x);
    else if (is("starves") || is("starves-shuffled"))
        starves(rank, x);
    else if (is("early"))
        posted_early(rank, x);
    else if (is("told") || is("looked") || is("barrier") || is("ended"))
        in_turn(rank, x);
    else if (is("apart"))
        apart(rank, x, group);
    else if (is("reduced"))
        reduced(rank, x);
    else if (is("flood"))
        flood(rank, size, x);
    else if (is("asked"))
        asked(rank, size, x);
    dist_group_free(group);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    return dist_spawn(run, 4);
}
