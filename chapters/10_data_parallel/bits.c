/*
 * bits.c: the same training on one rank and on many: are the weights the same, bit by bit?
 *
 *     by default       rank 0: g1 + g2     rank 1: g3 + g4       (g1 + g2) + (g3 + g4)         other roundings
 *     8 fixed shards   each summed by itself, wherever, then     ((g1 + g2) + g3) + g4 ...     always these
 *
 * Run it:  make run-10 PROG=bits N=4
 */
#include "train.h"

enum { SHARDS = 8 };

/* ---- three ways to the gradient of a batch ------------------------------------------------------- */

typedef void the_gradients(struct model *m, const struct digits *d, int step, int rank, int n);

static void alone(struct model *m, const struct digits *d, int step, int rank, int n)
{
    (void)rank, (void)n;
    model_gradients(m, d, part_of_batch(step, 0, 1), BATCH);
}

static void dealt_out(struct model *m, const struct digits *d, int step, int rank, int n)
{
    model_gradients(m, d, part_of_batch(step, rank, n), BATCH);
    dist_all_reduce(m->gradients);
}

/* A batch is always cut into 8 shards, whoever computes them. Then everybody adds them up in the same order. */
static void in_shards(struct model *m, const struct digits *d, int step, int rank, int n)
{
    tensor *sum = tensor_zeros(DIST_F32, tensor_numel(m->gradients));
    for (int shard = 0; shard < SHARDS; shard++) {
        int owner = shard * n / SHARDS;
        if (owner == rank)
            model_gradients(m, d, part_of_batch(step, shard, SHARDS), BATCH);
        if (n > 1)
            dist_broadcast(m->gradients, owner);
        tensor_add(sum, m->gradients);
    }
    tensor_copy(m->gradients, sum);
    tensor_free(sum);
}

static void in_shards_alone(struct model *m, const struct digits *d, int step, int rank, int n)
{
    (void)rank, (void)n;
    in_shards(m, d, step, 0, 1);
}

/* ---- comparing ------------------------------------------------------------------------------------- */

struct difference {
    int64_t numbers, bits; /* that differ */
    double largest;        /* in parts of the largest weight */
};

static struct difference compare(const tensor *a, const tensor *b)
{
    size_t count = (size_t)tensor_numel(a);
    float *left = calloc(2 * count, sizeof *left), *right = left + count;
    struct difference found = { 0, 0, 0 };
    double most = 0;
    tensor_read(a, left);
    tensor_read(b, right);
    for (size_t i = 0; i < count; i++) {
        uint32_t x, y;
        memcpy(&x, left + i, sizeof x);
        memcpy(&y, right + i, sizeof y);
        found.numbers += x != y;
        for (uint32_t unlike = x ^ y; unlike; unlike &= unlike - 1)
            found.bits++;
        found.largest = fmax(found.largest, fabs((double)left[i] - right[i]));
        most = fmax(most, fabs((double)right[i]));
    }
    found.largest /= most;
    free(left);
    return found;
}

static void tell(const char *name, int steps, struct difference found, int64_t count)
{
    printf("%s, after %2d step%s: %4lld of %lld weights differ, in %5lld bits", name, steps,
           steps > 1 ? "s" : " ", (long long)found.numbers, (long long)count, (long long)found.bits);
    if (found.numbers)
        printf(", by less than %g", pow(10, ceil(log10(found.largest))));
    printf("\n");
}

/* An epoch in two ways, the second of them on rank 0 alone: how do the weights differ, after one step and at the end? */
static void race(const char *name, the_gradients *way, the_gradients *reference, struct digits *d, int rank,
                 int n)
{
    struct model m = model_for_digits(1), r = model_for_digits(1);
    digits_shuffle(d, 1);
    for (int step = 0; step < STEPS; step++) {
        way(&m, d, step, rank, n);
        model_step(&m);
        if (rank > 0)
            continue;
        reference(&r, d, step, rank, n);
        model_step(&r);
        if (step == 0 || step == STEPS - 1)
            tell(name, step + 1, compare(m.weights, r.weights), tensor_numel(m.weights));
    }
    model_free(&r);
    model_free(&m);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    race("dealt out", dealt_out, alone, d, rank, world_size);
    race("in shards", in_shards, in_shards_alone, d, rank, world_size);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
