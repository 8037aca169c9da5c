/* conform_bursts.c: many collectives of one group under way at once: small ones, which may meet before their turn, among longer ones. */
#define _GNU_SOURCE
#include "conform.h"

#include <unistd.h>

#define BURST 40 /* so many are begun before the first is waited for */

struct one {
    tensor *in;  /* filled with `rank + number` */
    tensor *out; /* where the result stands */
    enum { SUM, MOST, BROADCAST, REDUCE, GATHERED, SCATTERED, BARRIER, KINDS } kind;
    int number, root;
    dist_work *work;
};

static dist_work *begin(const struct one *one)
{
    switch (one->kind) {
    case SUM:
        return dist_all_reduce(one->out, .async_op = true);
    case MOST:
        return dist_all_reduce(one->out, .op = DIST_MAX, .async_op = true);
    case BROADCAST:
        return dist_broadcast(one->out, one->root, .async_op = true);
    case REDUCE:
        return dist_reduce(one->out, one->root, .async_op = true);
    case GATHERED:
        return dist_all_gather(one->out, one->in, .async_op = true);
    case SCATTERED:
        return dist_reduce_scatter(one->out, one->in, .async_op = true);
    default:
        return dist_barrier(.async_op = true);
    }
}

/* All ranks draw the same. */
static struct one drawn(uint64_t *dice, int rank, int size, int number)
{
    static const int64_t counts[] = { 1, 2, 10, 11, 100, 128, 129, 256, 257, 3000 };
    int64_t count = counts[ref_below(dice, number % 3 ? 5 : 10)];
    struct one one = { .number = number, .root = (int)ref_below(dice, size) };
    one.kind = (int)ref_below(dice, KINDS);
    int64_t in = one.kind == SCATTERED ? count * size : count,
            out = one.kind == GATHERED ? count * size : count;
    one.in = tensor_full(DIST_I32, rank + number, in);
    one.out = in != out ? tensor_full(DIST_I32, -1, out) : one.in;
    one.work = begin(&one);
    return one;
}

static void see(struct exam *exam, const struct one *one, int rank, int size)
{
    int64_t count = tensor_numel(one->out);
    int first = rank + one->number, sum = size * (size - 1) / 2 + size * one->number;
    if (one->kind == SUM || one->kind == SCATTERED || (one->kind == REDUCE && rank == one->root))
        first = sum;
    else if (one->kind == MOST)
        first = size - 1 + one->number;
    else if (one->kind == BROADCAST)
        first = one->root + one->number;
    else if (one->kind == GATHERED)
        first = one->number;
    int last = first + (one->kind == GATHERED ? size - 1 : 0);
    if (one->kind != REDUCE || rank == one->root)
        exam_check(exam, tensor_item(one->out, 0) == first && tensor_item(one->out, count - 1) == last,
                   "collective %d (%d, of %d elements) of a burst is wrong", one->number, one->kind,
                   (int)count);
    tensor_free(one->out);
    if (one->in != one->out)
        tensor_free(one->in);
}

void conform_bursts(struct exam *exam, int rank, int size)
{
    struct one all[BURST];
    uint64_t dice = exam->seed, own = exam->seed + (uint64_t)rank;
    for (int i = 0; i < BURST; i++) {
        if (ref_below(&own, 20) == 0)
            usleep((useconds_t)ref_below(&own, 500));
        all[i] = drawn(&dice, rank, size, i);
        if (ref_below(&own, 10) == 0)
            dist_is_completed(all[ref_below(&own, i + 1)].work);
        if (i % 16 == 15)
            dist_barrier();
    }
    int from = (int)ref_below(&own, BURST), step = rank % 2 ? 3 : BURST - 1;
    for (int i = 0; i < BURST; i++)
        dist_wait(all[(from + i * step) % BURST].work);
    for (int i = 0; i < BURST; i++)
        see(exam, &all[i], rank, size);
}

/* More than dist.h promises: a collective on a tensor that one before it still works on finds that one's result there. */
void conform_chained(struct exam *exam, int rank, int size)
{
    tensor *x = tensor_full(DIST_I32, 1, 8), *all = tensor_full(DIST_I32, -1, size * 2);
    tensor *front = tensor_slice(x, 0, 2);
    for (int round = 0; round < 20; round++) {
        dist_work *works[4];
        tensor_fill(x, rank == 0 ? 1 : 0);
        works[0] = dist_all_reduce(x, .async_op = true);
        works[1] = dist_all_reduce(x, .async_op = true);
        works[2] = dist_all_gather(all, front, .async_op = true);
        works[3] = dist_all_reduce(all, .async_op = true);
        dist_wait_all(works, 4);
        exam_check(exam, tensor_item(x, 7) == size && tensor_item(all, 0) == size * size,
                   "chained collectives give %g and %g", tensor_item(x, 7), tensor_item(all, 0));
    }
    tensor_free(front);
    tensor_free(x);
    tensor_free(all);
}
