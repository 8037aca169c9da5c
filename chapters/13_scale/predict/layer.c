/*
 * layer.c: one layer of a transformer for one micro-batch, on one GPU that has 1 / tp of it.
 *
 *     forward    norm > q k v > attention > out > (sum over tp) > norm > up > gelu > down > (sum over tp)
 *     backward   the same from the right to the left; each product twice, for the input and for the weight
 *     again      what recompute does a second time: all of it, or the attention's core
 */
#include "predict.h"

#include <math.h>

/* Bytes that element-wise kernels read and write, a number of the hidden layer: two norms (4 each), two times bias, dropout and
 * residual (7 each); backward norms 6 each, dropout 5 each, two sums of gradients 6 each. */
#define NORM_FORWARD 22.0
#define NORM_BACKWARD 34.0
/* RMSNorm without bias or dropout: norm 4, residual 6; rotating q and k is counted with the MLP. */
#define PLAIN_FORWARD 20.0
#define PLAIN_BACKWARD 30.0

static double matmul(const struct description *d, double rows, double columns, double inner)
{
    return matmul_time(&d->machine, d->fp8 > 0, rows, columns, inner);
}

/* A product and its two of the way back: for the input (rows x inner), and for the weight (inner x columns). */
static void product(const struct description *d, struct layer_cost *cost, double times, double rows,
                    double columns, double inner)
{
    cost->forward += times * matmul(d, rows, columns, inner);
    cost->backward += times * (matmul(d, rows, inner, columns) + matmul(d, inner, columns, rows));
}

static void products(const struct description *d, struct layer_cost *cost, double tokens)
{
    double h = d->hidden, tp = d->tp, kv = d->kv_heads / d->heads;
    double experts = d->experts / d->ep, rows = d->experts > 1 ? tokens * d->experts_used / experts : tokens;
    product(d, cost, 1, tokens, h * (1 + 2 * kv) / tp, h);
    product(d, cost, 1, tokens, h, h / tp);
    product(d, cost, experts, rows, (d->glu > 0 ? 2 : 1) * d->ffn / tp, h);
    product(d, cost, experts, rows, h, d->ffn / tp);
}

/* As plain PyTorch does it, kernel by kernel: a norm is six of them, on F32 (32 bytes); turning q and k goes through complex F32. */
#define EAGER_FORWARD 76.0
#define EAGER_BACKWARD 130.0

static struct layer_cost elements(const struct description *d, double tokens)
{
    bool plain = d->fused <= 0, gated = d->glu > 0;
    double norms = tokens * d->hidden / (d->sequence_parallel > 0 ? d->tp : 1);
    double inside = tokens * d->ffn / d->tp * d->experts_used;
    double turning = gated ? (plain ? 20 : 4) * (1 + d->kv_heads / d->heads) * tokens * d->hidden / d->tp : 0;
    double there = plain ? EAGER_FORWARD : gated ? PLAIN_FORWARD : NORM_FORWARD;
    double back = plain ? EAGER_BACKWARD : gated ? PLAIN_BACKWARD : NORM_BACKWARD;
    double gate = gated ? (plain ? 10 : 6) : 4, gate_back = gated ? (plain ? 18 : 10) : 6;
    return (struct layer_cost){ .forward = memory_time(&d->machine, there * norms + gate * inside + turning),
                                .backward =
                                    memory_time(&d->machine, back * norms + gate_back * inside + turning) };
}

/* How many members of a group that takes every `stride`-th GPU are in one node. */
static int near_of(const struct description *d, double n, double stride)
{
    return (int)fmax(1, fmin(n, floor(d->machine.gpus_per_node / stride)));
}

/* Two sums over tp each way, or with sequence parallelism an all_gather and a reduce_scatter for each, which carry the same. */
static double tp_time(const struct description *d, double tokens, int passes)
{
    double bytes = 2 * tokens * d->hidden;
    int n = (int)d->tp, near = near_of(d, n, 1);
    const struct machine *m = &d->machine;
    double once = d->sequence_parallel > 0
                      ? collective_time(m, ALL_GATHER, bytes, n, near, d->nics_used) +
                            collective_time(m, REDUCE_SCATTER, bytes, n, near, d->nics_used)
                      : collective_time(m, ALL_REDUCE, bytes, n, near, d->nics_used);
    return 2 * passes * once;
}

struct layer_cost layer_cost(const struct description *d)
{
    struct layer_cost cost = { 0 };
    double tokens = d->microbatch * d->seq / d->cp, kv = d->kv_heads / d->heads;
    int passes = d->recompute == RECOMPUTE_FULL ? 3 : 2;
    struct layer_cost light = elements(d, tokens);
    products(d, &cost, tokens);
    double half = cost.forward / 2;
    cost.forward += light.forward + attention_time(d, false);
    cost.backward += light.backward + attention_time(d, true);
    if (d->recompute == RECOMPUTE_FULL)
        cost.again = cost.forward;
    else if (
        d->recompute ==
        RECOMPUTE_SELECTIVE) /* Megatron: attention's core; FSDP in torchtitan: every second product, and all light work */
        cost.again = d->zero >= 3 && d->glu > 0 ? half + light.forward : attention_time(d, false);
    cost.tp = tp_time(d, tokens, passes);
    double keys = 2 * 2 * d->microbatch * d->seq * d->hidden * kv / d->tp;
    cost.cp = (passes + 1) * collective_time(&d->machine, ALL_GATHER, keys, (int)d->cp,
                                             near_of(d, d->cp, d->tp), d->nics_used);
    if (d->experts > 1)
        cost.ep = 2 * passes *
                  collective_time(&d->machine, ALL_TO_ALL, 2 * tokens * d->experts_used * d->hidden / d->tp,
                                  (int)d->ep, near_of(d, d->ep, d->tp), d->nics_used);
    return cost;
}

/* Logits and loss: F32 scores are written and read some times. */
double head_time(const struct description *d)
{
    double tokens = d->microbatch * d->seq / d->cp, columns = d->vocab / d->tp;
    const struct machine *m = &d->machine;
    return matmul_time(m, false, tokens, columns, d->hidden) +
           matmul_time(m, false, tokens, d->hidden, columns) +
           matmul_time(m, false, d->hidden, columns, tokens) + memory_time(m, 26 * tokens * columns);
}
