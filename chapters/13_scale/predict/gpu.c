/*
 * gpu.c: one GPU. What it does is either bound by its arithmetic, or by its memory.
 *
 *     matrix product    cut into tiles of 128 x 128 or larger; all cores do one tile each, that is a wave
 *                       [ wave 1: 108 tiles ][ wave 2: 108 tiles ][ wave 3: 20 tiles, and 88 cores look on ]
 *     element-wise      bytes that are read and written, by the memory's bandwidth
 */
#include "predict.h"

#include <math.h>

#define STREAM 0.75   /* of the memory's bandwidth, for kernels that read and write once */
#define LAUNCH 3e-6   /* seconds from one kernel to the next */
#define PROLOGUE 96.0 /* a tile begins and ends: as long as so many steps of its inner loop */

/* A chip at its power limit lowers its clock. Power goes with the third power of the clock, but for what it needs to be awake. */
static double clock_at(const struct machine *m)
{
    double awake = 0.15 * m->usual_watts;
    if (m->watts >= m->usual_watts || m->usual_watts <= 0)
        return 1;
    return cbrt(fmax(m->watts - awake, 1) / (m->usual_watts - awake));
}

static double waves_with(const struct machine *m, double rows, double columns, double high, double wide)
{
    double tiles = ceil(rows / high) * ceil(columns / wide), waves = ceil(tiles / m->cores);
    return waves * m->cores * high * wide / (rows * columns);
}

/* How much more work is done than asked for: half tiles, and a last wave that is not full. */
static double waste(const struct machine *m, double rows, double columns)
{
    double best = waves_with(m, rows, columns, 128, 256);
    best = fmin(best, waves_with(m, rows, columns, 256, 128));
    best = fmin(best, waves_with(m, rows, columns, 128, 128) *
                          1.05); /* smaller tiles load more for each operation */
    best = fmin(best, waves_with(m, rows, columns, 64, 128) * 1.25);
    return best;
}

double memory_time(const struct machine *m, double bytes)
{
    return bytes / (STREAM * m->hbm * 1e9);
}

double matmul_time(const struct machine *m, bool fp8, double rows, double columns, double inner)
{
    double rate = (fp8 ? m->peak_fp8 * m->matmul_fp8 : m->peak * m->matmul) * 1e12 * clock_at(m);
    double arithmetic = 2 * rows * columns * (inner + PROLOGUE) / rate * waste(m, rows, columns);
    double size = fp8 ? 1 : 2;
    double moved = memory_time(m, size * (rows * inner + inner * columns) + 2 * rows * columns);
    return fmax(arithmetic, moved) + LAUNCH;
}

/* Fused: what the kernels of FlashAttention-2 reach, of the rate of a product (T. Dao, 2023: forward 0.6 to 0.7 of the peak of an
 * A100, backward 0.5 to 0.6). Not fused: the matrix of scores goes through the memory again and again. */
#define FUSED_FORWARD 0.80
#define FUSED_BACKWARD 0.68
#define SCORES_FORWARD 9.0 /* bytes a score beside the products': softmax 4, dropout 5 */
#define SCORES_BACKWARD 11.0

double attention_time(const struct description *d, bool backward)
{
    const struct machine *m = &d->machine;
    double heads = d->heads / d->tp * d->microbatch, deep = d->hidden / d->heads;
    double rows = d->seq / d->cp, columns = d->seq;
    double flops = 4 * rows * columns * deep * heads;
    if (!(d->flash > 0)) {
        double products = matmul_time(m, false, rows * heads, columns, deep) +
                          matmul_time(m, false, rows * heads, deep, columns);
        double bytes = (backward ? SCORES_BACKWARD : SCORES_FORWARD) * rows * columns * heads;
        return (backward ? 2 : 1) * products + memory_time(m, bytes) + 4 * LAUNCH;
    }
    double rate = m->peak * m->matmul * 1e12 * clock_at(m) * (backward ? FUSED_BACKWARD : FUSED_FORWARD);
    double seen = d->causal > 0 ? 0.5 * (1 + 128 / columns) : 1;
    return (backward ? 2.5 : 1) * flops * seen / rate + LAUNCH;
}
