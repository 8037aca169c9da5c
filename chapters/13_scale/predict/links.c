/*
 * links.c: what a collective costs on links of two levels.
 *
 *     node     GPU == NVLink switch == GPU        fast, a few microseconds
 *              card        card        card       one for each GPU
 *     between  ------ switches of the network --- slower, and each step of a tree costs its latency
 *
 * A ring over all GPUs of some nodes enters each node through all its cards at once: so its bandwidth is that of the slower of the two,
 * NVLink of one GPU or all cards together. Where a group has one GPU in each node it has one card.
 */
#include "predict.h"

#include <math.h>

#define LATENCY_NODE \
    18e-6 /* 32 KiB within a node of 8 H200: 17.9 us (nccl-tests; stas00/ml-engineering, network/benchmarks) */
#define LATENCY_STEP \
    20e-6          /* each step of a tree between nodes: 98 us for 32 KiB on 4 nodes of B200, the same page */
#define CALL 20e-6 /* "PyTorch's 20-30 us of host overhead per call", the same page */
#define CARD_ALONE 0.94  /* 377 of 400 GB/s, 4 nodes of B200, the same page */
#define CARD_SHARED 0.85 /* where all groups of a job use the network at once. Taken, not measured */
#define RAMP 0.8 /* a tensor goes in pieces: between small and large both costs count, see collective */

static const char *const names[] = { "all_reduce", "all_gather", "reduce_scatter",
                                     "all_to_all", "broadcast",  "send_recv" };

const char *collective_name(enum collective what)
{
    return names[what];
}

/* Bytes that a rank sends, for one byte of the tensor. */
static double share_sent(enum collective what, int n)
{
    if (what == ALL_REDUCE)
        return 2.0 * (n - 1) / n;
    if (what == BROADCAST || what == SEND_RECV)
        return 1;
    return (double)(n - 1) / n;
}

double bus_bandwidth(enum collective what, double bytes, int n, double seconds)
{
    return share_sent(what, n) * bytes / seconds;
}

/* Bytes a second. */
static double bandwidth(const struct machine *m, enum collective what, int n, int near, double cards,
                        double card)
{
    double node = m->nvlink * 1e9 * m->ring;
    if (near >= n)
        return what == ALL_REDUCE && m->in_switch > 0 && n == m->gpus_per_node && card == CARD_ALONE
                   ? m->nvlink * 1e9 * m->in_switch
                   : node;
    double between = m->nic * 1e9 * card * fmin(near, cards);
    if (what == ALL_TO_ALL) /* the part that leaves the node goes through one's own card */
        return fmin(node, m->nic * 1e9 * card * fmin(1, cards / near) * (n - 1) / (n - near));
    return fmin(node, between);
}

static double collective(const struct machine *m, enum collective what, double bytes, int n, int near,
                         double cards, double card)
{
    if (n < 2 || bytes <= 0)
        return 0;
    double levels = near >= n ? 0 : ceil(log2((double)n / near - 1e-9));
    double latency = LATENCY_NODE + levels * LATENCY_STEP * (what == ALL_REDUCE ? 2 : 1);
    double carrying = share_sent(what, n) * bytes / bandwidth(m, what, n, near, cards, card);
    return latency + carrying + RAMP * sqrt(latency * carrying);
}

double collective_time(const struct machine *m, enum collective what, double bytes, int n, int near,
                       double nics)
{
    return collective(m, what, bytes, n, near, nics, CARD_SHARED);
}

double collective_alone(const struct machine *m, enum collective what, double bytes, int n, int near)
{
    return CALL + collective(m, what, bytes, n, near, m->gpus_per_node, CARD_ALONE);
}
