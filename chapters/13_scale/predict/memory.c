/* memory.c: how many numbers a model has, and how many bytes a GPU needs for its part. */
#include "predict.h"

#include <math.h>

#define GRADIENT 2.0 /* bytes a parameter: BF16 */
#define WEIGHT 2.0
#define STATE 12.0 /* Adam: two moments and the master weight, F32 */

static double attention_parameters(const struct description *d)
{
    double deep = d->hidden / d->heads;
    return 2 * d->hidden * d->hidden + 2 * d->hidden * d->kv_heads * deep;
}

static double mlp_parameters(const struct description *d)
{
    return (d->glu > 0 ? 3 : 2) * d->hidden * d->ffn;
}

double parameters_of_layer(const struct description *d)
{
    return attention_parameters(d) + d->experts * mlp_parameters(d);
}

double parameters_of(const struct description *d)
{
    return d->layers * parameters_of_layer(d) + d->vocab * d->hidden;
}

/* Where layers do not divide, the fullest stage counts: 126 on 16 stages are 8 here and 7 there. */
double layers_of_stage(const struct description *d)
{
    return ceil(d->layers / (d->pp * d->interleave) - 1e-9) * d->interleave;
}

double parameters_on_gpu(const struct description *d)
{
    double layer = attention_parameters(d) / d->tp + d->experts / d->ep * mlp_parameters(d) / d->tp;
    return layers_of_stage(d) * layer + d->vocab * d->hidden / d->tp;
}

/* Kept of one layer for one micro-batch, from forward to backward (Korthikanti and others, 2022, for the parts; counted for what is
 * used here: GQA, gated MLPs, fused attention). */
static double kept_by_layer(const struct description *d)
{
    double tokens = d->microbatch * d->seq / d->cp, kv = d->kv_heads / d->heads;
    double whole = tokens * d->hidden, norm = d->sequence_parallel > 0 ? d->tp : 1;
    if (d->recompute == RECOMPUTE_FULL)
        return 2 * whole / norm;
    double inside = 2 * (2 + 2 * kv) * whole + 2 * (d->glu > 0 ? 3 : 2) * tokens * d->ffn * d->experts_used;
    double scores = d->flash > 0 || d->recompute == RECOMPUTE_SELECTIVE
                        ? 0
                        : 5 * d->heads * tokens * d->seq; /* softmax 2, dropout's mask 1 and result 2 */
    return (d->glu > 0 ? 4 : 10) * whole / norm + (inside + scores) / d->tp;
}

double memory_needed(const struct description *d)
{
    double numbers = parameters_on_gpu(d), copies = d->dp * d->cp;
    double state = STATE / (d->zero >= 1 ? copies : 1), gradient = GRADIENT / (d->zero >= 2 ? copies : 1);
    double weight = WEIGHT / (d->zero >= 3 ? copies : 1);
    double in_flight = d->pp > 1 ? fmin(d->batch / d->dp / d->microbatch, d->pp) : 1;
    double more = d->interleave > 1 ? 1 + (d->pp - 1) / (d->pp * d->interleave) : 1;
    double logits = d->pp > 1 ? 0 : 4 * d->microbatch * d->seq / d->cp * d->vocab / d->tp;
    return numbers * (weight + gradient + state) + in_flight * more * layers_of_stage(d) * kept_by_layer(d) +
           logits;
}
