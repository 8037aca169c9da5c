/*
 * forgot.c: three mistakes that no error reports. Checksums of the weights, compared after every step, find two of them.
 *
 *     rank 0   w1: 5f2c..  b1: 91d0..  w2: 07aa..  b2: e411..
 *     rank 1   w1: 5f2c..  b1: 3be8..  w2: 07aa..  b2: e411..        b1 is the first that differs
 *
 * Run it:  make run-10 PROG=forgot N=4
 */
#include "train.h"

/* ---- the guard ----------------------------------------------------------------------------------- */

/* A number for all bits of a tensor: FNV-1a. It is small enough to be kept exactly in a double. */
static int64_t checksum(const tensor *t)
{
    size_t count = (size_t)tensor_numel(t);
    uint32_t *bits = calloc(count, sizeof *bits);
    uint64_t sum = 14695981039346656037u;
    tensor_read(t, bits);
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bits[i]) * 1099511628211u;
    free(bits);
    return (int64_t)(sum >> 12);
}

struct drift {
    int rank, parameter; /* the first that is unlike rank 0's; -1: none */
};

/* Do all replicas have the same weights? All ranks get the same answer. */
static struct drift look_for_drift(const struct model *m, int n)
{
    int64_t mine[2 * MOST_LAYERS], *all = calloc((size_t)(n * m->parameters), sizeof *all);
    for (int i = 0; i < m->parameters; i++)
        mine[i] = checksum(m->weight[i]);
    tensor *own = tensor_from(DIST_I64, mine, m->parameters);
    tensor *gathered = tensor_zeros(DIST_I64, n, m->parameters);
    dist_all_gather(gathered, own);
    tensor_read(gathered, all);
    struct drift found = { -1, -1 };
    for (int k = 0; k < n * m->parameters && found.rank < 0; k++)
        if (all[k] != all[k % m->parameters])
            found = (struct drift){ k / m->parameters, k % m->parameters };
    tensor_free(gathered);
    tensor_free(own);
    free(all);
    return found;
}

/* ---- the mistakes ---------------------------------------------------------------------------------- */

enum mistake { NONE, OTHER_START, ONE_NOT_SUMMED, OTHER_ORDER };

static void sum_gradients(struct model *m, int rank, enum mistake mistake, int step)
{
    for (int i = 0; i < m->parameters; i++) {
        tensor *own = mistake == ONE_NOT_SUMMED && rank == 1 && i == 1 && step == 5
                          ? tensor_clone(m->gradient[i])
                          : NULL;
        dist_all_reduce(m->gradient[i]);
        if (own)
            tensor_copy(m->gradient[i], own); /* as if the sum had been put somewhere else */
        tensor_free(own);
    }
}

/* An epoch. Returns the step after which the replicas were no longer alike, 0: before the first; -1: they stayed alike. */
static int learn(struct model *m, const struct digits *d, enum mistake mistake, int rank, int n,
                 struct drift *drift)
{
    for (int step = 0; step <= STEPS; step++) {
        *drift = look_for_drift(m, n);
        if (drift->rank >= 0)
            return step;
        if (step == STEPS)
            break;
        model_gradients(m, d, part_of_batch(step, rank, n), BATCH);
        sum_gradients(m, rank, mistake, step + 1);
        model_step(m);
    }
    return -1;
}

/* How many of the pictures has some rank learned from? */
static int seen_by_any(const struct digits *d, int rank, int n)
{
    tensor *seen = tensor_zeros(DIST_I32, IMAGES);
    int32_t mine[IMAGES] = { 0 }, count = 0;
    for (int step = 0; step < STEPS; step++)
        for (int i = part_of_batch(step, rank, n).begin; i < part_of_batch(step, rank, n).end; i++)
            mine[d->order[i]] = 1;
    tensor_write(seen, mine);
    dist_all_reduce(seen, .op = DIST_MAX);
    tensor_read(seen, mine);
    for (int i = 0; i < IMAGES; i++)
        count += mine[i];
    tensor_free(seen);
    return count;
}

static void tell(const char *name, enum mistake mistake, struct digits *d, int rank, int n)
{
    static const char *const names[] = { "w1", "b1", "w2", "b2" };
    struct model m = model_for_digits(1);
    struct drift drift;
    if (mistake == OTHER_START)
        model_start(&m, (int[]){ PIXELS, HIDDEN },
                    1 + (uint32_t)rank); /* and no dist_broadcast(m.weights, 0) */
    digits_shuffle(d, mistake == OTHER_ORDER && rank == n - 1 ? 2 : 1);
    int step = learn(&m, d, mistake, rank, n, &drift), seen = seen_by_any(d, rank, n);
    if (rank == 0 && step >= 0)
        printf("%-26s rank %d is not like rank 0 after step %d, first in %s\n", name, drift.rank, step,
               names[drift.parameter]);
    else if (rank == 0)
        printf("%-26s all replicas alike; %d of %d pictures were learned from\n", name, seen, TRAINING);
    model_free(&m);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    tell("no mistake:", NONE, d, rank, world_size);
    tell("weights not broadcast:", OTHER_START, d, rank, world_size);
    tell("a gradient not summed:", ONE_NOT_SUMMED, d, rank, world_size);
    tell("one shuffles differently:", OTHER_ORDER, d, rank, world_size);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
