/* show.c: the answer, one `key = value` a line. */
#include "predict.h"

#include <stdio.h>

static void assumptions(const struct description *d)
{
    if (d->assumed[0])
        printf("# assumed, since nothing is said: %s\n", d->assumed);
}

/* Llama 3 was trained so, with 126 layers on 16 stages. But it may be a slip, too: it is told. */
static void uneven_stages(const struct description *d)
{
    double parts = d->pp * d->interleave, most = layers_of_stage(d) / d->interleave;
    if (most * parts != d->layers)
        printf("# %g layers do not divide by pp x interleave = %g: the fullest part has %g, and all wait for "
               "it\n",
               d->layers, parts, most);
}

void prediction_print(const struct description *d, const struct prediction *p)
{
    assumptions(d);
    uneven_stages(d);
    printf("step_s = %.4g\n", p->step);
    printf("tflops_per_gpu = %.1f\n", p->tflops);
    printf("mfu = %.3f\n", p->mfu);
    printf("memory_gib = %.1f\n", p->memory_gib);
    printf("bubble = %.3f\n", p->bubble);
    printf("compute_s = %.4g\n", p->compute);
    printf("tp_comm_s = %.4g\n", p->tp_comm);
    printf("pp_comm_s = %.4g\n", p->pp_comm);
    printf("dp_comm_s = %.4g\n", p->dp_comm);
    printf("cp_comm_s = %.4g\n", p->cp_comm);
    printf("ep_comm_s = %.4g\n", p->ep_comm);
    printf("exposed_comm_s = %.4g\n", p->exposed);
    printf("optimizer_s = %.4g\n", p->optimizer);
    printf("tokens_per_gpu_s = %.4g\n", d->batch * d->seq / p->step / d->gpus);
}

void collective_print(const struct description *d)
{
    enum collective what = (enum collective)d->collective;
    int n = (int)d->gpus, near = n < d->machine.gpus_per_node ? n : d->machine.gpus_per_node;
    double seconds = collective_alone(&d->machine, what, d->bytes, n, near);
    assumptions(d);
    printf("time_us = %.1f\n", 1e6 * seconds);
    printf("busbw_gbps = %.2f\n", bus_bandwidth(what, d->bytes, n, seconds) / 1e9);
}
