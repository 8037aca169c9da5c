/*
 * levels.h: the all-reduce in two levels once more, in terms of chapter 08's communicator, so that it can be counted and timed like
 * the others; and which ranks are on one node.
 *
 * There are about as many nodes as there are ranks on each: 64 ranks are 8 nodes of 8, and 7 are 2 + 2 + 2 + 1.
 */
#ifndef LEVELS_H
#define LEVELS_H

#include "../08_all_reduce/cost.h"

static inline int levels_per_node(int size)
{
    int per_node = 1;
    while ((per_node + 1) * (per_node + 1) <= size)
        per_node++;
    return per_node;
}

static inline bool levels_same_node(int a, int b, int size)
{
    return a / levels_per_node(size) == b / levels_per_node(size);
}

/* Some ranks of a communicator as a communicator of their own: rank i of it is rank first + i * step of the whole. */
struct part_comm {
    struct communicator comm; /* first, so that a pointer to it is one to the whole struct */
    struct communicator *whole;
    int first, step;
};

static inline void part_swap(struct communicator *comm, int to, const void *out, int64_t out_count, int from,
                             void *in, int64_t in_count)
{
    const struct part_comm *p = (const struct part_comm *)comm;
    p->whole->swap(p->whole, p->first + to * p->step, out, out_count, p->first + from * p->step, in,
                   in_count);
}

static inline void *part_scratch(struct communicator *comm, int64_t count)
{
    struct part_comm *p = (struct part_comm *)comm;
    return p->whole->scratch(p->whole, count);
}

static inline struct part_comm levels_part(struct communicator *whole, int first, int step, int size)
{
    struct communicator comm = { .rank = (whole->rank - first) / step, .size = size };
    comm.type = whole->type;
    comm.swap = part_swap;
    comm.scratch = part_scratch;
    return (struct part_comm){ comm, whole, first, step };
}

/* Inside a node: everybody's x is added to the leader's. */
static inline void levels_reduce(struct communicator *node, float *x, int64_t count)
{
    float *inbox = node->scratch(node, count);
    if (node->rank > 0)
        node->swap(node, 0, x, count, 0, NULL, -1);
    for (int from = 1; node->rank == 0 && from < node->size; from++) {
        node->swap(node, 0, NULL, -1, from, inbox, count);
        for (int64_t i = 0; inbox && i < count; i++)
            x[i] += inbox[i];
    }
}

static inline void levels_broadcast(struct communicator *node, float *x, int64_t count)
{
    if (node->rank > 0)
        node->swap(node, 0, NULL, -1, 0, x, count);
    for (int to = 1; node->rank == 0 && to < node->size; to++)
        node->swap(node, to, x, count, 0, NULL, -1);
}

/* To the leaders, a ring between them, and back. */
static inline void levels_all_reduce(struct communicator *comm, void *x, int64_t count)
{
    int size = comm->size, each = levels_per_node(size), first = comm->rank - comm->rank % each;
    struct part_comm node = levels_part(comm, first, 1, size - first < each ? size - first : each);
    struct part_comm leaders = levels_part(comm, 0, each, (size + each - 1) / each);
    levels_reduce(&node.comm, x, count);
    if (comm->rank == first)
        algorithm_named("ring")(&leaders.comm, x, count);
    levels_broadcast(&node.comm, x, count);
}

/* By name: those of chapter 08, and "levels". */
static inline all_reduce_algorithm *levels_named(const char *name)
{
    all_reduce_algorithm *known = algorithm_named(name);
    return known ? known : levels_all_reduce;
}

/* What it should take: k - 1 messages to the leader and k - 1 back inside a node of k, and a ring of m leaders between. */
static inline double levels_predict(struct cost inside, struct cost between, double bytes, int size)
{
    int k = levels_per_node(size), m = (size + k - 1) / k;
    return 2 * (k - 1) * (inside.alpha + bytes * inside.beta) + predict(RING, between, bytes, m);
}

/* Up to how many bytes two levels should beat the ring over all: where the two formulas are equal. Below 0: at every size. */
static inline double levels_crossing(struct cost inside, struct cost between, int size)
{
    double gain = predict(RING, between, 0, size) - levels_predict(inside, between, 0, size);
    double loss = levels_predict(inside, between, 1e12, size) - predict(RING, between, 1e12, size) + gain;
    return loss > 1e-6 ? 1e12 * gain / loss : -1;
}

#endif
