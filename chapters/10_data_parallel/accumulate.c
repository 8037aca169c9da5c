/*
 * accumulate.c: a batch that does not fit is computed in pieces, and their gradients are added up before anybody sends.
 *
 *     every time   piece 0, all_reduce   piece 1, all_reduce   piece 2, all_reduce   piece 3, all_reduce   step
 *     once         piece 0, +            piece 1, +            piece 2, +            piece 3, all_reduce   step
 *
 * Run it:  make run-10 PROG=accumulate N=4
 */
#include "train.h"

enum { PIECES = 4 };

/* Piece i of a part. */
static struct part piece_of(struct part p, int i)
{
    struct part piece = part_for(p.end - p.begin, i, PIECES);
    return (struct part){ p.begin + piece.begin, p.begin + piece.end };
}

/* One step; the sum over the ranks is made for every piece, or once. Returns how many all_reduces that took. */
static int step_in_pieces(struct model *m, const struct digits *d, struct part mine, bool every_time)
{
    tensor *sum = tensor_zeros(DIST_F32, tensor_numel(m->gradients));
    int sums = 0;
    for (int i = 0; i < PIECES; i++) {
        model_gradients(m, d, piece_of(mine, i), BATCH);
        if (every_time) {
            dist_all_reduce(m->gradients);
            sums++;
        }
        tensor_add(sum, m->gradients);
    }
    tensor_copy(m->gradients, sum);
    if (!every_time) {
        dist_all_reduce(m->gradients);
        sums++;
    }
    model_step(m);
    tensor_free(sum);
    return sums;
}

/* The largest difference between two models' weights. */
static double apart(const struct model *a, const struct model *b)
{
    size_t count = (size_t)tensor_numel(a->weights);
    float *left = calloc(2 * count, sizeof *left), *right = left + count;
    double most = 0;
    tensor_read(a->weights, left);
    tensor_read(b->weights, right);
    for (size_t i = 0; i < count; i++) {
        double here = fabs((double)left[i] - right[i]);
        most = here > most ? here : most; /* fmax() makes gcc 12 fail on ARM */
    }
    free(left);
    return most;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model every = model_for_digits(1), once = model_for_digits(1), whole = model_for_digits(1);
    int many = 0, few = 0;
    digits_shuffle(d, 1);
    for (int step = 0; step < STEPS; step++) {
        struct part mine = part_of_batch(step, rank, world_size);
        many += step_in_pieces(&every, d, mine, true);
        few += step_in_pieces(&once, d, mine, false);
        model_gradients(&whole, d, mine, BATCH);
        dist_all_reduce(whole.gradients);
        model_step(&whole);
    }
    if (rank == 0) {
        printf("%d steps, each batch in %d pieces\n", STEPS, PIECES);
        printf("a sum for every piece:  %d all_reduces; as in one piece: %s\n", many,
               apart(&every, &whole) < 1e-6 ? "to within 1e-6" : "NO");
        printf("a sum for every batch:  %d all_reduces; as in one piece: %s\n", few,
               apart(&once, &whole) < 1e-6 ? "to within 1e-6" : "NO");
    }
    model_free(&whole);
    model_free(&once);
    model_free(&every);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
