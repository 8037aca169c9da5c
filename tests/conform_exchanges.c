/* conform_exchanges.c: neighbours exchange messages of all lengths, posted in any order, and waited for in any. */
#define _GNU_SOURCE
#include "conform.h"
#include "reference.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 15, MOST = 3, LISTS = 4, OPS = LISTS * MOST };

/* Around what fits into a slot, a cell, a note, and beyond. */
static const int64_t counts[] = { 0, 1, 8, 9, 500, 2048, 2049, 20000 };

/* What one rank sends to one neighbour in one round. Both know it. */
struct list {
    int src, dst, tag; /* and the next tag */
    int count;
    int64_t lengths[MOST];
    int tags[MOST];
};

static struct list list_of(const struct exam *exam, int round, int src, int dst, int tag)
{
    uint64_t random = exam->seed + (uint64_t)(round * 1000 + src * 10 + tag);
    struct list list = { .src = src, .dst = dst, .tag = tag };
    ref_random(&random);
    list.count = 1 + (int)ref_below(&random, 4) / 2; /* mostly one or two */
    for (int i = 0; i < list.count; i++) {
        list.lengths[i] = counts[ref_below(&random, 8) * ref_below(&random, 2)];
        list.tags[i] = tag + (int)ref_below(&random, 2);
    }
    return list;
}

static int value_of(const struct list *list, int round, int i)
{
    return 10000 * list->src + 10 * round + i + list->tag;
}

/* An op that was started, and what its tensor must hold in the end. */
struct started_op {
    dist_work *work;
    tensor *t;
    bool sends;
    int value;
};

static struct started_op start(const struct list *list, int round, int i, bool sends, bool any)
{
    struct started_op op = { .sends = sends, .value = value_of(list, round, i) };
    op.t = tensor_full(DIST_I32, sends ? op.value : -1, list->lengths[i]);
    op.work = sends ? dist_isend(op.t, list->dst, .tag = list->tags[i])
                    : dist_irecv(op.t, any ? DIST_ANY_SOURCE : list->src, .tag = list->tags[i]);
    return op;
}

/* What was sent may be overwritten; what was received is there. */
static void finish(struct exam *exam, struct started_op *op)
{
    dist_wait(op->work);
    int64_t count = tensor_numel(op->t);
    if (op->sends) {
        tensor_fill(op->t, -2);
    } else if (count > 0) {
        int first = (int)tensor_item(op->t, 0), last = (int)tensor_item(op->t, count - 1);
        exam_check(exam, first == op->value && last == op->value, "an exchange: got %d and %d, not %d", first,
                   last, op->value);
    }
    tensor_free(op->t);
}

/* The lists of a round, each in its order, but mixed; then the waits, mixed too. With one rank it is its own neighbour. */
static void exchange(struct exam *exam, int round, int rank, int size, uint64_t *random)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int done[LISTS] = { 0 }, count = 0, left = 0;
    const struct list lists[LISTS] = { list_of(exam, round, rank, next, 20),
                                       list_of(exam, round, rank, before, 30),
                                       list_of(exam, round, before, rank, 20),
                                       list_of(exam, round, next, rank, 30) };
    struct started_op ops[OPS];
    bool receives_first = ref_below(random, 2), any = ref_below(random, 8) == 0;
    for (int i = 0; i < LISTS; i++)
        left += lists[i].count;
    while (left > 0) {
        int which = (int)ref_below(random, LISTS);
        for (int i = 2; receives_first && i < LISTS; i++)
            which = done[i] < lists[i].count ? i : which;
        if (done[which] == lists[which].count)
            continue;
        ops[count++] = start(&lists[which], round, done[which]++, which < 2, any);
        left--;
    }
    if (ref_below(random, 8) == 0)
        usleep(2000);
    while (count > 0) {
        int which = (int)ref_below(random, count);
        finish(exam, &ops[which]);
        ops[which] = ops[--count];
    }
}

void conform_exchanges(struct exam *exam, int rank, int size)
{
    uint64_t random = exam->seed * 31 + (uint64_t)rank;
    for (int round = 0; round < ROUNDS; round++)
        exchange(exam, round, rank, size, &random);
}
