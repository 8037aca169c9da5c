/* conform_order.c: what is promised about order: tags, overtaking, any-source, groups, and much under way at once. */
#define _GNU_SOURCE
#include "conform.h"

#include <stdlib.h>
#include <unistd.h>

static tensor *numbered(int64_t count, int value)
{
    return tensor_full(DIST_I32, value, count);
}

/* All elements are `value`; frees the tensor. */
static void take(struct exam *exam, tensor *t, int value, const char *what)
{
    int64_t count = tensor_numel(t);
    int32_t *data = malloc((size_t)count * sizeof *data + 1);
    if (data == NULL)
        abort();
    tensor_read(t, data);
    for (int64_t i = 0; i < count; i++) {
        if (!exam_check(exam, data[i] == value, "%s: got %d in place of %d", what, data[i], value))
            break;
    }
    free(data);
    tensor_free(t);
}

/* Messages with other tags may be taken in any order; those with one tag come in theirs. */
static void tags(struct exam *exam, int rank, int size)
{
    static const int sent[] = { 5, 3, 9, 3, 0, 5, 1 << 30 }, taken[] = { 1 << 30, 3, 9, 5, 0, 3, 5 };
    static const int number[] = { 6, 1, 2, 0, 4, 3, 5 }; /* which of `sent` each of `taken` must be */
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    tensor *out[7];
    dist_work *works[7];
    for (int i = 0; i < 7; i++) {
        out[i] = numbered(10, 100 * rank + i);
        works[i] = dist_isend(out[i], next, .tag = sent[i]);
    }
    for (int i = 0; i < 7; i++) {
        tensor *in = numbered(10, -1);
        dist_recv(in, before, .tag = taken[i]);
        take(exam, in, 100 * before + number[i], "tags out of order");
    }
    exam_check(exam, dist_wait_all(works, 7) == 0, "dist_wait_all did not give 0");
    for (int i = 0; i < 7; i++)
        tensor_free(out[i]);
}

/* 300 messages of many sizes under way at once, a third of them long between machines, waited for from the last to the first, arrive in
 * order. */
static void many(struct exam *exam, int rank, int size)
{
    enum { MANY = 300 };
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    tensor *out[MANY], *in[MANY];
    dist_work *works[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        int64_t count = i % 50 == 7 ? 40000 : i % 3 == 1 ? 2500 : i % 7 * 11;
        out[i] = numbered(count, 1000 * rank + i);
        in[i] = numbered(count, -1);
        works[i] = dist_isend(out[i], next, .tag = 2);
    }
    for (int i = 0; i < MANY; i++)
        works[MANY + i] = dist_irecv(in[i], before, .tag = 2);
    for (int i = 2 * MANY - 1; i >= 0; i--)
        dist_wait(works[i]);
    for (int i = 0; i < MANY; i++) {
        take(exam, in[i], 1000 * before + i, "many outstanding");
        tensor_free(out[i]);
    }
}

/* Rank 0 takes from whoever comes; what one rank sends still arrives in that rank's order. */
static void any_in_order(struct exam *exam, int rank, int size)
{
    int heard[8] = { 0 };
    for (int i = 0; rank > 0 && i < 20; i++) {
        tensor *out = numbered(3, 1000 * rank + i);
        dist_send(out, 0, .tag = 3);
        tensor_free(out);
    }
    for (int i = 0; rank == 0 && i < 20 * (size - 1); i++) {
        tensor *in = numbered(3, -1);
        int from = dist_recv(in, DIST_ANY_SOURCE, .tag = 3);
        if (!exam_check(exam, from > 0 && from < size, "any source gave %d", from))
            from = 1;
        take(exam, in, 1000 * from + heard[from]++, "any source in order");
    }
}

/* Whoever comes first waits: once the sender is late, once the receiver. */
static void late(struct exam *exam, int rank, int size)
{
    for (int round = 0; round < 2; round++) {
        tensor *t = numbered(1000, rank);
        if (rank % 2 == 0 && rank + 1 < size) {
            usleep(round ? 20000 : 0);
            dist_send(t, rank + 1, .tag = 4);
        } else if (rank % 2 == 1) {
            usleep(round ? 0 : 20000);
            dist_recv(t, rank - 1, .tag = 4);
        }
        take(exam, t, rank - rank % 2, "late");
    }
}

/* The same ranks and the same tag in two groups: a message stays in its group. And collectives that are under way
 * in two groups may have been started in any order. */
static void groups_apart(struct exam *exam, int rank, int size)
{
    int ranks[8], next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    dist_group *a = dist_new_group(ranks, size), *b = dist_new_group(ranks, size);
    tensor *out[3] = { numbered(5, rank), numbered(5, 100 + rank), numbered(5, 200 + rank) };
    tensor *in[3] = { numbered(5, -1), numbered(5, -1), numbered(5, -1) };
    dist_work *works[3] = { dist_isend(out[0], next, .group = a), dist_isend(out[1], next, .group = b),
                            dist_isend(out[2], next) };
    dist_recv(in[1], before, .group = b);
    dist_recv(in[2], before);
    dist_recv(in[0], before, .group = a);
    dist_wait_all(works, 3);
    for (int i = 0; i < 3; i++) {
        take(exam, in[i], 100 * i + before, "groups apart");
        tensor_free(out[i]);
    }
    tensor *x = numbered(700, 1), *y = numbered(700, rank);
    dist_work *first = rank % 2 ? dist_all_reduce(x, .group = a, .async_op = true)
                                : dist_all_reduce(y, .op = DIST_MAX, .group = b, .async_op = true);
    dist_work *second = rank % 2 ? dist_all_reduce(y, .op = DIST_MAX, .group = b, .async_op = true)
                                 : dist_all_reduce(x, .group = a, .async_op = true);
    dist_wait(first);
    dist_wait(second);
    take(exam, x, size, "two groups, started in two orders");
    take(exam, y, size - 1, "two groups, started in two orders");
    dist_group_free(a);
    dist_group_free(b);
}

/* Collectives under way together on one group, with messages between them, waited for in each rank's own order. */
static void together(struct exam *exam, int rank, int size)
{
    enum { COUNT = 6 };
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    tensor *x[COUNT], *in = numbered(9, -1), *out = numbered(9, rank);
    dist_work *works[COUNT + 2];
    for (int i = 0; i < COUNT; i++) {
        x[i] = numbered(i == 3 ? 100000 : 1 + i, i % 2 ? 1 + i : 100 * rank + i);
        works[i] = i % 2 ? dist_all_reduce(x[i], .async_op = true)
                         : dist_broadcast(x[i], i % size, .async_op = true);
        if (i == 2)
            works[COUNT] = dist_irecv(in, before);
        if (i == 4)
            works[COUNT + 1] = dist_isend(out, next);
    }
    for (int i = 0; i < COUNT + 2; i++)
        dist_wait(works[(i + 3 * rank) % (COUNT + 2)]);
    for (int i = 0; i < COUNT; i++)
        take(exam, x[i], i % 2 ? size * (1 + i) : 100 * (i % size) + i, "collectives together");
    take(exam, in, before, "a message among collectives");
    tensor_free(out);
}

/* Long collectives that the background has begun when their ranks come to wait, early or late. */
static void begun(struct exam *exam, int rank, int size)
{
    uint64_t dice = exam->seed + (uint64_t)rank;
    tensor *x = numbered(60000, 1);
    for (int i = 0; i < 20; i++) {
        tensor_fill(x, rank + i);
        dist_work *work = dist_all_reduce(x, .op = DIST_MAX, .async_op = true);
        usleep((useconds_t)ref_below(&dice, 300));
        dist_wait(work);
        bool right = tensor_item(x, 0) == size - 1 + i && tensor_item(x, 59999) == size - 1 + i;
        exam_check(exam, right, "an all_reduce begun in the background is wrong");
    }
    tensor_free(x);
}

/* A work that is_completed calls done is done, and is still to be waited for. */
static void look(struct exam *exam, int rank, int size)
{
    tensor *in = numbered(2000, -1), *out = numbered(2000, 7);
    dist_work *send = dist_isend(out, (rank + 1) % size), *recv = dist_irecv(in, (rank + size - 1) % size);
    while (!dist_is_completed(recv) || !dist_is_completed(send))
        usleep(200);
    take(exam, in, 7, "is_completed");
    exam_check(exam, dist_wait(recv) == (rank + size - 1) % size, "dist_wait did not give the sender");
    exam_check(exam, dist_wait(send) == 0, "dist_wait of a send did not give 0");
    tensor_free(out);
}

/* Messages and collectives in turns: a note of one may carry what is owed of the other. */
static void in_turns(struct exam *exam, int rank, int size)
{
    for (int i = 0; i < 10; i++) {
        for (int from = 1; from < size; from++) {
            tensor *t = numbered(2, rank + i);
            if (rank == from)
                dist_send(t, 0, .tag = 5);
            else if (rank == 0)
                dist_recv(t, from, .tag = 5);
            take(exam, t, (rank == 0 ? from : rank) + i, "messages and collectives in turns");
        }
        dist_barrier();
        tensor *all = numbered(size, -1), *mine = numbered(1, 100 + i);
        dist_all_gather(all, mine);
        take(exam, all, 100 + i, "collectives and messages in turns");
        tensor_free(mine);
    }
}

void conform_order(struct exam *exam, int rank, int size)
{
    static void (*const parts[])(struct exam *, int, int) = {
        tags,  many, any_in_order, late,           groups_apart,      together,
        begun, look, in_turns,     conform_bursts, conform_exchanges,
    };
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            parts[i](exam, rank, size);
    }
}
