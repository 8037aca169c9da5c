/*
 * search.c: for a model, a cluster and a batch, which cut is the fastest? All that make sense are predicted.
 *
 *     tp x pp x dp = GPUs, interleave, micro-batch, recompute, ZeRO ---> predict ---> the best that fits
 *
 * Run it:  make run-13 PROG=search N=1; with the word csv for more GPUs, as record.sh plots it.
 */
#include "../words.h"
#include "predict/predict.h"
#include "table.h"

#define MODEL \
    "layers = 80\nhidden = 8192\nheads = 64\nkv_heads = 8\nffn = 28672\nglu = 1\nvocab = 128256\nseq = " \
    "8192\nbatch = 2048\n" \
    "machine = dgx-h100\nflash = 1\ncausal = 1\nfused = 1\n"

static bool csv;

struct best {
    struct description d;
    struct prediction p;
    int tried, fit;
};

static void try_cut(struct best *best, int gpus, int tp, int pp, int parts, int micro, int zero,
                    const char *again)
{
    char text[700], why[WHY];
    struct description d;
    snprintf(text, sizeof text,
             MODEL "gpus = %d\ntp = %d\npp = %d\ninterleave = %d\nmicrobatch = %d\nzero = %d\nrecompute = "
                   "%s\nsequence_parallel = %d\n",
             gpus, tp, pp, parts, micro, zero, again, tp > 1);
    best->tried++;
    if (description_parse(&d, "cut", text, why) != 0 || memory_needed(&d) > d.machine.memory * 1e9)
        return;
    struct prediction p = predict_step(&d);
    best->fit++;
    if (best->p.step == 0 || p.step < best->p.step) {
        best->p = p;
        best->d = d;
    }
}

static struct best search(int gpus)
{
    static const int zeros[] = { 0, 1, 3 };
    static const char *const agains[] = { "none", "full" };
    struct best best = { .tried = 0 };
    for (int tp = 1; tp <= 8; tp *= 2)
        for (int pp = 1; pp <= 16 && tp * pp <= gpus; pp *= 2)
            for (int parts = 1; parts == 1 || (pp > 1 && parts * pp <= 80); parts++)
                for (int micro = 1; micro <= 4; micro *= 2)
                    for (int zero = 0; zero < 3; zero++)
                        for (int again = 0; again < 2; again++)
                            if (80 % (pp * parts) == 0)
                                try_cut(&best, gpus, tp, pp, parts, micro, zeros[zero], agains[again]);
    return best;
}

/* The largest of what is lost. */
static const char *limit(const struct prediction *p)
{
    double bubble = p->bubble * p->step;
    if (p->exposed > bubble)
        return p->tp_comm > 0.5 * p->exposed   ? "sums over tp"
               : p->pp_comm > 0.5 * p->exposed ? "stages' messages"
                                               : "sums over dp";
    return bubble > 0.05 * p->step ? "bubble" : "arithmetic";
}

static void print_best(int gpus)
{
    struct best best = search(gpus);
    const struct description *d = &best.d;
    if (best.fit == 0) {
        if (!csv)
            printf("%6d   nothing fits\n", gpus);
        return;
    }
    if (csv)
        printf("%d,%.4f,%.4f,%.4f,%.0f,%.0f,%.0f\n", gpus, best.p.mfu, best.p.bubble,
               best.p.exposed / best.p.step, d->tp, d->pp, d->dp);
    else
        printf(
            "%6d %4.0f %4.0f %6.0f %5.0f %5.0f %5.0f %6s %8.2f %6.1f %% %6.1f %% %7.1f %%  %-16s %5d of %d\n",
            gpus, d->tp, d->pp, d->dp, d->interleave, d->microbatch, d->zero,
            d->recompute > 0 ? "full" : "none", best.p.step, 100 * best.p.mfu, 100 * best.p.bubble,
            100 * best.p.exposed / best.p.step, limit(&best.p), best.fit, best.tried);
}

static void tell(void)
{
    if (!csv) {
        printf("Llama 3 70B, 2,048 sequences of 8,192 words a step, H100\n");
        printf("%6s %4s %4s %6s %5s %5s %5s %6s %8s %8s %8s %9s  %-16s %s\n", "GPUs", "tp", "pp", "dp",
               "parts", "micro", "zero", "again", "s", "MFU", "bubble", "exposed", "limited by", "fit");
    }
    for (int gpus = 16; gpus <= 16384; gpus *= csv ? 2 : 4)
        print_best(gpus);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    rank_0_tells(rank, tell);
}

int main(int count, char **words)
{
    csv = asked_for("csv", count, words);
    return dist_spawn(run, 1);
}
