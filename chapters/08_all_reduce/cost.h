/*
 * cost.h: what four all-reduces should take, if a message takes alpha seconds and beta more for every byte of it, and if
 * every rank can send and receive at the same time without being in anybody's way.
 *
 * The formulas are those that stand on top of lib/algorithms/gather.c, tree.c, ring.c and halving.c, with the adding
 * counted as well: gamma.
 */
#ifndef COST_H
#define COST_H

#include "algorithms/algorithms.h"

enum { GATHER, TREE, RING, HALVING, WAYS };

static const char *const names[WAYS] = { "gather", "tree", "ring", "halving" };

struct cost {
    double alpha; /* seconds a message */
    double beta;  /* seconds a byte that is sent */
    double gamma; /* seconds a byte that is added to another */
};

/* How often n can be halved until 1 is left, rounded up: the height of a tree of n ranks. */
static inline int height(int n)
{
    int steps = 0;
    while (1 << steps < n)
        steps++;
    return steps;
}

static inline double predict(int way, struct cost c, double bytes, int p)
{
    int power = ring_power(p);
    double whole = c.alpha + bytes * c.beta, add = bytes * c.gamma;
    double fold = power < p ? 2 * whole + add : 0;
    if (way == GATHER)
        return 2 * (p - 1) * whole + (p - 1) * add;
    if (way == TREE)
        return 2 * height(p) * whole + height(p) * add;
    if (way == RING)
        return 2 * (p - 1) * (c.alpha + bytes / p * c.beta) + (p - 1) * add / p;
    return fold + 2 * height(power) * c.alpha + (2 * bytes * c.beta + add) * (power - 1) / power;
}

/* From how many bytes on the ring should beat the tree: where their two formulas are equal, adding left out. 0: it is never behind. */
static inline double crossing(struct cost c, int p)
{
    double more_messages = p - 1 - height(p), fewer_bytes = height(p) - (double)(p - 1) / p;
    return more_messages > 0 ? c.alpha / c.beta * more_messages / fewer_bytes : 0;
}

#endif
