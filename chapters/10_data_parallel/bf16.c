/*
 * bf16.c: half the bytes on the wire, and where 16 bits are too few.
 *
 *     right    weights F32   gradients F32 -> BF16 ==all_reduce==> BF16 -> F32   step in F32
 *     wrong    weights BF16: w - 0.0001 is w again, where w is 0.1
 *
 * Run it:  make run-10 PROG=bf16 N=4
 */
#include "train.h"

enum { USUAL = 3, SMALL = 3 }; /* epochs */

/* The same numbers, rounded to 8 binary digits. */
static void round_to_bf16(tensor *t)
{
    tensor *half = tensor_zeros(DIST_BF16, tensor_numel(t));
    tensor_copy(half, t);
    tensor_copy(t, half);
    tensor_free(half);
}

/* ---- two ways to sum the gradients ------------------------------------------------------------- */

static void in_f32(struct model *m)
{
    dist_all_reduce(m->gradients);
}

static void in_bf16(struct model *m)
{
    tensor *wire = tensor_zeros(DIST_BF16, tensor_numel(m->gradients));
    tensor_copy(wire, m->gradients);
    dist_all_reduce(wire);
    tensor_copy(m->gradients, wire);
    tensor_free(wire);
}

struct way {
    const char *name;
    void (*exchange)(struct model *m);
    bool weights_in_bf16;
};

/* ---- learning ------------------------------------------------------------------------------------ */

/* How many numbers of the two are not alike? */
static int unlike(const tensor *a, const tensor *b)
{
    size_t count = (size_t)tensor_numel(a);
    float *left = calloc(2 * count, sizeof *left), *right = left + count;
    int found = 0;
    tensor_read(a, left);
    tensor_read(b, right);
    for (size_t i = 0; i < count; i++)
        found += left[i] != right[i];
    free(left);
    return found;
}

/* An epoch with steps of this part of their usual size. Returns its loss; *moved: how many weights the last step moved. */
static double one_epoch(struct model *m, const struct digits *d, const struct way *way, double size, int rank,
                        int n, int *moved)
{
    double loss = 0;
    for (int step = 0; step < STEPS; step++) {
        tensor *before = step == STEPS - 1 ? tensor_clone(m->weights) : NULL;
        loss += model_gradients(m, d, part_of_batch(step, rank, n), BATCH);
        way->exchange(m);
        tensor_mul_scalar(m->gradients, size);
        model_step(m);
        if (way->weights_in_bf16)
            round_to_bf16(m->weights);
        if (before)
            *moved = unlike(before, m->weights);
        tensor_free(before);
    }
    return over_all(loss, DIST_SUM) / STEPS;
}

/* First as usual, then in small steps, as at the end of every training. */
static void learn(struct way way, struct digits *d, int rank, int n)
{
    struct model m = model_for_digits(1);
    double losses[USUAL + SMALL];
    int moved = 0;
    for (int epoch = 0; epoch < USUAL + SMALL; epoch++) {
        digits_shuffle(d, 1 + epoch);
        losses[epoch] = one_epoch(&m, d, &way, epoch < USUAL ? 1 : 0.01, rank, n, &moved);
    }
    if (rank == 0)
        printf("%s loss %.3f, then %.3f .. %.3f in small steps; the last one moved %4d weights\n", way.name,
               losses[USUAL - 1], losses[USUAL], losses[USUAL + SMALL - 1], moved);
    model_free(&m);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    learn((struct way){ "all in F32:               ", in_f32, false }, d, rank, world_size);
    learn((struct way){ "gradients travel in BF16: ", in_bf16, false }, d, rank, world_size);
    learn((struct way){ "weights are kept in BF16: ", in_f32, true }, d, rank, world_size);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
