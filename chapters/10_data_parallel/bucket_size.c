/*
 * bucket_size.c: a step in buckets of several sizes, measured, and predicted from alpha and beta.
 *
 * Run it:  make run-10 PROG=bucket_size N=2
 * With the word csv it measures more sizes, longer, and prints a table for other programs: record.sh plots it.
 */
#include "buckets.h"
#include "predict.h"
#include "../words.h"

enum { SMALL = 256, MOST_SIZES = 12 };

/* What is measured; set before the ranks start. */
static struct {
    bool csv;
    int sizes, rounds;
    int64_t full[MOST_SIZES]; /* numbers in a bucket */
} plan = { false, 4, 3, { 1 << 11, 1 << 14, 1 << 17, 1 << 18 } };

/* Seconds for one of `count` all_reduces of `numbers` each, put into the stream one after the other. */
static double time_of_sums(struct model *m, int64_t numbers, int count)
{
    struct bucket buckets[16];
    double best = INFINITY;
    for (int i = 0; i < plan.rounds; i++) {
        dist_barrier();
        dist_event *begin = dist_event_record();
        for (int k = 0; k < count; k++)
            buckets[k] = bucket_start(m, k * numbers, (k + 1) * numbers);
        buckets_wait(buckets, count);
        dist_event *end = dist_event_record();
        best = fmin(best, dist_event_elapsed(begin, end) / count);
        dist_event_free(end);
        dist_event_free(begin);
    }
    return over_all(best, DIST_MAX);
}

/* Alpha and beta from sums of two sizes; what is computed from steps without any. */
static struct cost measure(struct model *m, const tensor *x, const tensor *target)
{
    int64_t numbers = m->begin[m->parameters];
    double small = time_of_sums(m, SMALL, 16), large = time_of_sums(m, numbers, 1), forward = INFINITY,
           all = INFINITY;
    struct cost c = { .bytes = 4.0 * (double)numbers,
                      .beta = (large - small) / (4.0 * (double)(numbers - SMALL)) };
    for (int i = 0; i < plan.rounds; i++) {
        dist_barrier();
        dist_event *begin = dist_event_record();
        model_forward(m, tensor_clone(x));
        dist_event *between = dist_event_record();
        tensor *dy = loss_backward(m, target, BATCH);
        for (int l = m->layers - 1; l >= 0; l--)
            dy = layer_backward(m, l, dy);
        dist_event *end = dist_event_record();
        model_forget(m);
        forward = fmin(forward, dist_event_elapsed(begin, between));
        all = fmin(all, dist_event_elapsed(begin, end));
        dist_event_free(end);
        dist_event_free(between);
        dist_event_free(begin);
    }
    c.alpha = small - c.beta * 4 * SMALL;
    c.forward = over_all(forward, DIST_MAX);
    c.backward = over_all(all, DIST_MAX) - c.forward;
    return c;
}

static void tell(struct cost c, int64_t full, int n, int count, double seconds)
{
    double size = fmin(4.0 * (double)full, c.bytes);
    if (plan.csv)
        printf("%d,%.0f,%d,%.3f,%.3f\n", n, size, count, 1e3 * seconds, 1e3 * predict(c, size));
    else
        printf("%8.0f B %5d bucket%s %8.2f ms, predicted %8.2f ms\n", size, count, count > 1 ? "s" : " ",
               1e3 * seconds, 1e3 * predict(c, size));
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    struct digits *d = digits_read();
    struct part mine = part_of_batch(rank % STEPS, 0, 1);
    tensor *x = pictures(d, mine), *target = targets(d, mine);
    struct model m = model_new(DEEP, deep, 1);
    struct cost c = measure(&m, x, target);
    if (rank == 0 && !plan.csv)
        printf("%d rank%s: alpha %.0f us, beta %.3f ns a byte; forward %.2f ms, backward %.2f ms\n",
               world_size, world_size > 1 ? "s" : "", 1e6 * c.alpha, 1e9 * c.beta, 1e3 * c.forward,
               1e3 * c.backward);
    for (int i = 0; i < plan.sizes; i++) {
        int count = 0;
        double best = INFINITY;
        for (int k = 0; k < plan.rounds; k += ROUNDS)
            best = fmin(best, time_of_step(&m, x, target, plan.full[i], &count));
        best = over_all(best, DIST_MAX);
        if (rank == 0)
            tell(c, plan.full[i], world_size, count, best);
    }
    model_free(&m);
    tensor_free(target);
    tensor_free(x);
    free(d);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    setenv("DIST_SIM", "20:0.25", 0); /* how quick the simulated links are: 20 us, 0.25 GB/s */
    if (asked_for("csv", count, words)) {
        plan.csv = true;
        plan.rounds = 30;
        plan.sizes = 10;
        for (int i = 0; i < plan.sizes; i++)
            plan.full[i] = 512LL << i; /* 2 KB to 1 MB */
    }
    return dist_spawn(run, 2);
}
