/*
 * step.c: from one layer to the whole step.
 *
 *     stage 0   [F F F F][F B F B F B F B][B B B B][ sum ][ step ]
 *     stage 1      [F F F][B F B F B F B F][B B B]         m micro-batches, and (p - 1) / v of bubble
 *                                                          v: parts of the model on each stage (interleave)
 */
#include "predict.h"

#include <math.h>

/* "an average computational slowdown of 18.9 %" (S. Lee and others, Characterizing Compute-Communication Overlap in GPU-Accelerated
 * Distributed Deep Learning, 2025). */
#define CONTENTION 0.19
#define OPTIMIZER \
    40.0 /* bytes a parameter that Adam reads and writes: gradient, two moments, master weight, weight */

/* As in the papers: all of attention where it is computed as a whole, half where a fused kernel skips what is masked. */
double model_flops(const struct description *d, bool with_recompute)
{
    double tokens = d->batch * d->seq, kv = d->kv_heads / d->heads, h = d->hidden;
    double mlp = (d->glu > 0 ? 3 : 2) * h * d->ffn * d->experts_used;
    double core = 2 * d->seq * h * (d->causal > 0 ? 0.5 : 1);
    double layer = 2 * (2 * h * h + 2 * h * h * kv + mlp) + 2 * core;
    double again = with_recompute ? (d->recompute == RECOMPUTE_FULL ? layer : 0) : 0;
    return tokens * (d->layers * (3 * layer + again) + 6 * h * d->vocab);
}

static int near_of(const struct description *d, double n, double stride)
{
    return (int)fmax(1, fmin(n, floor(d->machine.gpus_per_node / stride)));
}

static double over_copies(const struct description *d, enum collective what, double bytes)
{
    double stride = d->tp, n = d->dp * d->cp;
    return collective_time(&d->machine, what, bytes, (int)n, near_of(d, n, stride), d->nics_used);
}

struct stage {
    double compute, mean, comm; /* seconds for one micro-batch, both ways; mean: of all stages */
    double backward;            /* of that */
};

/* The slowest stage: as many layers as the fullest has, or one with the logits. */
static struct stage slowest_stage(const struct description *d, const struct layer_cost *layer)
{
    double each = layer->forward + layer->backward + layer->again, layers = layers_of_stage(d),
           head = head_time(d);
    double last = layers * d->pp - d->layers >= 1 ? layers - 1 : layers;
    double compute = d->pp > 1 ? fmax(layers * each, last * each + head) : layers * each + head;
    double mean = (d->layers * each + head) / d->pp;
    return (struct stage){ compute, mean, layers * (layer->tp + layer->cp + layer->ep),
                           layers * (layer->backward + layer->again) + head };
}

/* Activations from stage to stage, both ways: each rank of a tp group sends its part (and the group puts it together by NVLink). */
static double pp_time(const struct description *d)
{
    if (d->pp < 2)
        return 0;
    double bytes = 2 * d->microbatch * d->seq / d->cp * d->hidden / d->tp;
    int near = d->tp * d->cp * d->dp * 2 <= d->machine.gpus_per_node ? 2 : 1;
    return 2 * d->interleave * collective_time(&d->machine, SEND_RECV, bytes, 2, near, d->nics_used);
}

/* Gradients once a step; ZeRO-3 gathers the weights for each pass of each micro-batch. */
struct copies {
    double gather, reduce; /* seconds of a step */
};

static struct copies copies_cost(const struct description *d, double rounds)
{
    double weights = 2 * parameters_on_gpu(d), gradients = weights;
    int passes = d->recompute == RECOMPUTE_FULL ? 3 : 2;
    if (d->dp * d->cp < 2)
        return (struct copies){ 0, 0 };
    if (d->zero >= 3)
        return (struct copies){ rounds * passes * over_copies(d, ALL_GATHER, weights),
                                rounds * over_copies(d, REDUCE_SCATTER, gradients) };
    if (d->zero >= 1)
        return (struct copies){ over_copies(d, ALL_GATHER, weights),
                                over_copies(d, REDUCE_SCATTER, 2 * gradients) };
    return (struct copies){ 0, over_copies(d, ALL_REDUCE, gradients) };
}

/* Behind what is computed a gather is hidden, but it takes cores and bandwidth from it: CONTENTION of the time that both go on. Each
 * pass hides its own: forward cannot hide what backward needs. */
static double hidden_pass(double compute, double comm)
{
    return fmax(compute + CONTENTION * fmin(compute, comm), comm) - compute;
}

/* What of data parallelism cannot hide. Without a pipeline gradients are summed while the last backward goes on; behind a pipeline
 * nothing is left to hide behind. With ZeRO-3 a layer's gradients are summed when the weights of the next have come, on the same
 * links. */
static double dp_exposed(const struct description *d, struct copies all, struct stage stage, double rounds)
{
    if (d->zero >= 3) {
        double passes = d->recompute == RECOMPUTE_FULL ? 3 : 2;
        double back = rounds * stage.backward, forward = rounds * stage.compute - back;
        return hidden_pass(forward, all.gather / passes) +
               hidden_pass(back, all.gather * (passes - 1) / passes) + all.reduce;
    }
    if (d->pp > 1)
        return all.gather + all.reduce;
    return all.gather + fmax(hidden_pass(stage.backward, all.reduce), all.reduce / d->layers);
}

struct prediction predict_step(const struct description *d)
{
    struct prediction p = { 0 };
    struct layer_cost layer = layer_cost(d);
    struct stage stage = slowest_stage(d, &layer);
    double m = d->batch / d->dp / d->microbatch, layers = layers_of_stage(d);
    double sending = pp_time(d), more = stage.comm + sending;
    double waiting = (d->pp - 1) / d->interleave;
    p.compute = m * stage.compute;
    p.tp_comm = m * layers * layer.tp;
    p.cp_comm = m * layers * layer.cp;
    p.ep_comm = m * layers * layer.ep;
    p.pp_comm = m * sending;
    struct copies copies = copies_cost(d, m);
    p.dp_comm = copies.gather + copies.reduce;
    p.bubble = waiting / (m + waiting);
    p.optimizer =
        memory_time(&d->machine, OPTIMIZER * parameters_on_gpu(d) / (d->zero >= 1 ? d->dp * d->cp : 1));
    double late = dp_exposed(d, copies, stage, m);
    p.exposed = m * (stage.comm + sending) + late;
    p.step = m * (stage.compute + more) + waiting * (stage.mean + more) + late + p.optimizer;
    p.tflops = model_flops(d, true) / d->gpus / p.step / 1e12;
    p.mfu = model_flops(d, false) / d->gpus / p.step / 1e12 /
            (d->fp8 > 0 ? d->machine.peak_fp8 : d->machine.peak);
    p.memory_gib = memory_needed(d) / (1 << 30);
    return p;
}
