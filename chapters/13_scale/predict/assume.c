/*
 * assume.c: what a description leaves open is assumed, and told; what cannot be is refused in one sentence.
 */
#include "predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool said(double value)
{
    return value != NOT_SAID;
}

static int no(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int no(char *why, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, 220, format, list);
    va_end(list);
    return -1;
}

/* Taken for what was not said; told to the reader in the words of the file. */
static void assume(struct description *d, const char *name, double *value, double taken, const char *word)
{
    char number[32];
    if (said(*value))
        return;
    *value = taken;
    snprintf(number, sizeof number, "%.10g", taken);
    size_t used = strlen(d->assumed);
    snprintf(d->assumed + used, sizeof d->assumed - used, "%s%s = %s", used ? ", " : "", name,
             word ? word : number);
}

static void part(double *of_machine, double wanted)
{
    if (said(wanted))
        *of_machine = wanted;
}

/* The machine by its name, by its parts, or by its name with some other parts. */
static int complete_machine(struct description *d, char *why)
{
    struct machine *m = &d->machine;
    const double needed[] = { d->peak_tflops, d->hbm_gbps, d->memory_gib, d->nvlink_gbps, d->nic_gbps };
    const char *const names[] = { "peak_tflops", "hbm_gbps", "memory_gib", "nvlink_gbps", "nic_gbps" };
    if (!d->has_machine) {
        for (int i = 0; i < 5; i++)
            if (!said(needed[i]))
                return no(why,
                          "no machine is named, and %s is missing; with all of peak_tflops, hbm_gbps, "
                          "memory_gib, nvlink_gbps and "
                          "nic_gbps it need not be",
                          names[i]);
        /* Its efficiencies are those of the known GPU whose peak is nearest. */
        *m = *machine_named(d->peak_tflops < 600    ? "dgx-a100-80"
                            : d->peak_tflops < 1500 ? "dgx-h100"
                                                    : "hgx-b200");
        size_t used = strlen(d->assumed);
        snprintf(d->assumed + used, sizeof d->assumed - used, "%sefficiencies of %s", used ? ", " : "",
                 m->name);
        m->peak_fp8 *= d->peak_tflops / m->peak;
    }
    m->usual_watts = m->watts;
    part(&m->peak, d->peak_tflops);
    part(&m->hbm, d->hbm_gbps);
    part(&m->memory, d->memory_gib);
    part(&m->nvlink, d->nvlink_gbps);
    part(&m->nic, d->nic_gbps);
    part(&m->watts, d->watts);
    if (said(d->gpus_per_node))
        m->gpus_per_node = (int)d->gpus_per_node;
    if (!said(d->nics_used))
        d->nics_used = m->gpus_per_node;
    if (d->nics_used > m->gpus_per_node)
        return no(why, "nics_used is %g, but a node has %d GPUs with a card each", d->nics_used,
                  m->gpus_per_node);
    return 0;
}

static int complete_collective(struct description *d, char *why)
{
    if (!said(d->bytes) || !said(d->gpus))
        return no(why, "a collective needs %s, too", said(d->bytes) ? "gpus" : "bytes");
    if (said(d->layers) || said(d->batch))
        return no(why, "a collective alone has no layers and no batch; leave out one or the other");
    if (d->gpus < 2)
        return no(why, "gpus is 1; a collective needs at least 2");
    if (d->collective == SEND_RECV && d->gpus > 2)
        return no(why, "gpus is %g; send_recv is between 2", d->gpus);
    if (d->gpus > d->machine.gpus_per_node && fmod(d->gpus, d->machine.gpus_per_node) != 0)
        return no(why, "gpus is %g, which does not fill nodes of %d", d->gpus, d->machine.gpus_per_node);
    return 0;
}

static int need(const struct description *d, char *why)
{
    const double values[] = { d->layers, d->hidden, d->heads, d->seq, d->vocab, d->batch, d->gpus };
    const char *const names[] = { "layers", "hidden", "heads", "seq", "vocab", "batch", "gpus" };
    for (int i = 0; i < 7; i++)
        if (!said(values[i]))
            return no(why, "%s is missing; it needs a line %s = and a whole number", names[i], names[i]);
    return 0;
}

static int complete_cut(struct description *d, char *why)
{
    assume(d, "tp", &d->tp, 1, NULL);
    assume(d, "pp", &d->pp, 1, NULL);
    assume(d, "cp", &d->cp, 1, NULL);
    assume(d, "interleave", &d->interleave, 1, NULL);
    if (!said(d->ep))
        d->ep = 1;
    double cut = d->tp * d->pp * d->cp;
    if (!said(d->dp) && fmod(d->gpus, cut) != 0)
        return no(why, "tp x pp x cp is %g, which does not divide %g GPUs", cut, d->gpus);
    if (!said(d->dp))
        d->dp = d->gpus / cut;
    if (cut * d->dp != d->gpus)
        return no(why, "tp x pp x cp x dp is %g x %g x %g x %g = %g, but gpus is %g", d->tp, d->pp, d->cp,
                  d->dp, cut * d->dp, d->gpus);
    if (fmod(d->dp * d->cp, d->ep) != 0)
        return no(why, "ep is %g, which does not divide dp x cp = %g", d->ep, d->dp * d->cp);
    if (fmod(d->heads, d->tp) != 0)
        return no(why, "tp is %g, which does not divide %g heads", d->tp, d->heads);
    if (d->pp * d->interleave > d->layers + 2) /* the first and the last part may be shorter by a layer */
        return no(why, "pp x interleave is %g, but there are only %g layers", d->pp * d->interleave,
                  d->layers);
    if (d->pp == 1 && d->interleave > 1)
        return no(why, "interleave is %g, but without a pipeline (pp = 1) there is nothing to interleave",
                  d->interleave);
    return 0;
}

static int complete_model(struct description *d, char *why)
{
    if (fmod(d->hidden, d->heads) != 0)
        return no(why, "hidden is %g, which %g heads do not divide", d->hidden, d->heads);
    if (!said(d->kv_heads))
        d->kv_heads = d->heads;
    if (d->kv_heads > d->heads || fmod(d->heads, d->kv_heads) != 0)
        return no(why, "kv_heads is %g, which does not divide %g heads", d->kv_heads, d->heads);
    if (!said(d->glu))
        d->glu = 0;
    assume(d, "ffn", &d->ffn, 4 * d->hidden, NULL);
    bool many = said(d->experts) ? d->experts > 1 : d->ep > 1;
    if (!said(d->experts) && many)
        assume(d, "experts", &d->experts, d->ep, NULL);
    d->experts = many ? d->experts : 1;
    if (many)
        assume(d, "experts_used", &d->experts_used, fmin(2, d->experts), NULL);
    else if (said(d->experts_used) && d->experts_used > 1)
        return no(why, "experts_used is %g, but there is only one expert", d->experts_used);
    d->experts_used = many ? d->experts_used : 1;
    if (d->experts_used > d->experts)
        return no(why, "experts_used is %g, but there are only %g experts", d->experts_used, d->experts);
    if (fmod(d->experts, d->ep) != 0)
        return no(why, "ep is %g, which does not divide %g expert%s", d->ep, d->experts,
                  d->experts > 1 ? "s" : "");
    if (fmod(d->seq, d->cp) != 0)
        return no(why, "cp is %g, which does not divide seq = %g", d->cp, d->seq);
    return 0;
}

static int complete_batch(struct description *d, char *why)
{
    if (fmod(d->batch, d->dp) != 0)
        return no(why, "dp is %g, which does not divide a batch of %g", d->dp, d->batch);
    assume(d, "microbatch", &d->microbatch, 1, NULL);
    double of_rank = d->batch / d->dp;
    if (fmod(of_rank, d->microbatch) != 0)
        return no(why, "microbatch is %g, which does not divide the %g sequences of a dp rank", d->microbatch,
                  of_rank);
    if (d->interleave > 1 && fmod(of_rank / d->microbatch, d->pp) != 0)
        return no(why, "%g micro-batches are no multiple of pp = %g, which interleave needs",
                  of_rank / d->microbatch, d->pp);
    return 0;
}

static bool fits(const struct description *d)
{
    return memory_needed(d) <= d->machine.memory * (1 << 30);
}

/* What costs least among all that fits. */
static void choose_for_memory(struct description *d)
{
    static const double zeros[] = { 0, 1, 2, 3 };
    static const char *const words[] = { "none", "selective", "full" };
    bool free_zero = !said(d->zero), free_again = !said(d->recompute);
    for (int again = 0; again < (free_again ? 3 : 1); again++)
        for (int zero = 0; zero < (free_zero ? 4 : 1); zero++) {
            d->zero = free_zero ? zeros[zero] : d->zero;
            d->recompute = free_again ? again : d->recompute;
            if (fits(d))
                goto done;
        }
    d->zero = free_zero ? 0 : d->zero;
    d->recompute = free_again ? RECOMPUTE_NONE : d->recompute;
done:;
    double zero = d->zero, again = d->recompute;
    d->zero = free_zero ? NOT_SAID : zero;
    d->recompute = free_again ? NOT_SAID : again;
    assume(d, "zero", &d->zero, zero, NULL);
    assume(d, "recompute", &d->recompute, again, words[(int)again]);
}

int description_complete(struct description *d, char *why)
{
    if (complete_machine(d, why) != 0)
        return -1;
    if (said(d->collective))
        return complete_collective(d, why);
    if (said(d->bytes))
        return no(why, "bytes are those of a collective, but no collective is named");
    if (need(d, why) != 0 || complete_cut(d, why) != 0 || complete_model(d, why) != 0 ||
        complete_batch(d, why) != 0)
        return -1;
    if (!said(d->fp8))
        d->fp8 = 0;
    if (d->fp8 > 0 && d->machine.peak_fp8 <= 0)
        return no(why, "type is fp8, but %s has no FP8", d->machine.name);
    bool old = d->machine.peak_fp8 <= 0 && said(d->recompute) && d->recompute > 0;
    assume(d, "flash", &d->flash, old ? 0 : 1, NULL);
    assume(d, "causal", &d->causal, d->flash, NULL);
    assume(d, "sequence_parallel", &d->sequence_parallel, d->tp > 1 && d->flash > 0, NULL);
    choose_for_memory(d);
    assume(d, "fused", &d->fused, !(d->glu > 0 && d->zero >= 3),
           NULL); /* FSDP is plain PyTorch, unless it is compiled */
    /* What we count is not what an allocator needs: so a tenth is let pass. */
    if (memory_needed(d) > 1.1 * d->machine.memory * (1 << 30))
        return no(
            why,
            "it does not fit: a GPU needs %.1f GiB and has %g; cut more (tp, pp), raise zero, or recompute",
            memory_needed(d) / (1 << 30), d->machine.memory);
    return 0;
}
