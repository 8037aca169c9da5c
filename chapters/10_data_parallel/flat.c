/*
 * flat.c: all gradients in one tensor, so one all_reduce a step.
 *
 *     naive   [ w1 ] all_reduce   [ b1 ] all_reduce   [ w2 ] all_reduce   [ b2 ] all_reduce
 *     flat    [ w1        b1   w2   b2 ] all_reduce
 *
 * Run it:  make run-10 PROG=flat N=4
 */
#include "train.h"

enum { ROUNDS = 40 };

typedef void exchange(struct model *m);

static void one_by_one(struct model *m)
{
    for (int i = 0; i < m->parameters; i++)
        dist_all_reduce(m->gradient[i]);
}

static void all_at_once(struct model *m)
{
    dist_all_reduce(m->gradients);
}

static struct model one_epoch(struct digits *d, exchange *exchange, int rank, int n)
{
    struct model m = model_for_digits(1);
    digits_shuffle(d, 1);
    for (int step = 0; step < STEPS; step++) {
        model_gradients(&m, d, part_of_batch(step, rank, n), BATCH);
        exchange(&m);
        model_step(&m);
    }
    return m;
}

/* Seconds for the all_reduces of a step, in the best of some rounds. */
static double time_of(exchange *exchange, struct model *m)
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        dist_barrier();
        double start = dist_time();
        exchange(m);
        dist_synchronize();
        best = fmin(best, dist_time() - start);
    }
    return over_all(best, DIST_MAX);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model naive = one_epoch(d, one_by_one, rank, world_size),
                 flat = one_epoch(d, all_at_once, rank, world_size);
    bool same = tensor_equal(naive.weights, flat.weights);
    double slow = time_of(one_by_one, &naive), quick = time_of(all_at_once, &flat);
    if (rank == 0) {
        printf("%d all_reduces a step: %.1f us\n", naive.parameters, 1e6 * slow);
        printf("1 all_reduce a step:  %.1f us, of %lld numbers\n", 1e6 * quick,
               (long long)tensor_numel(flat.gradients));
        printf("weights after an epoch: %s\n", same ? "the same bits" : "they differ");
    }
    model_free(&flat);
    model_free(&naive);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
