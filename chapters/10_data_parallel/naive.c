/*
 * naive.c: the batch is dealt out, and every rank has the whole model: data parallel.
 *
 *     rank 0   pictures  0 .. 15   forward, backward ->  \
 *     rank 1   pictures 16 .. 31   forward, backward ->   \  all_reduce of every    ->  the same step
 *     rank 2   pictures 32 .. 47   forward, backward ->   /  parameter's gradient       on every rank
 *     rank 3   pictures 48 .. 63   forward, backward ->  /
 *
 * Run it:  make run-10 PROG=naive N=4
 * With the word losses it prints the losses of its first 50 steps, with all digits: tests/torch compares them with PyTorch's.
 * With the word csv it prints loss and accuracy of every epoch: record.sh plots them.
 */
#include "../words.h"
#include "train.h"

enum { EPOCHS = 20, TOLD = 50 };

static struct {
    bool losses, csv;
} wish; /* what was asked for; set before the ranks start */

static double one_epoch(struct model *m, const struct digits *d, int rank, int n)
{
    double loss = 0;
    for (int step = 0; step < STEPS; step++) {
        dist_span("gradients")
            loss += model_gradients(m, d, part_of_batch(step, rank, n), BATCH);
        for (int i = 0; i < m->parameters; i++)
            dist_all_reduce(m->gradient[i]);
        dist_span("step")
            model_step(m);
    }
    return over_all(loss, DIST_SUM) / STEPS;
}

/* The losses of the first steps. Each is the sum of what the ranks have of it. */
static void tell_losses(struct model *m, struct digits *d, int rank, int n)
{
    for (int step = 0; step < TOLD; step++) {
        if (step % STEPS == 0)
            digits_shuffle(d, 1 + step / STEPS);
        double mine = model_gradients(m, d, part_of_batch(step % STEPS, rank, n), BATCH);
        dist_all_reduce(m->gradients);
        model_step(m);
        double loss = over_all(mine, DIST_SUM);
        if (rank == 0)
            printf("%d %.9g\n", step + 1, loss);
    }
}

static void learn(struct model *m, struct digits *d, int rank, int n)
{
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        digits_shuffle(d, epoch);
        double loss = one_epoch(m, d, rank, n), good = wish.csv ? accuracy(m, d, rank, n) : 0;
        if (rank == 0 && wish.csv)
            printf("%d,%d,%.4f,%.1f\n", n, epoch, loss, good);
        else if (rank == 0 && (epoch == 1 || epoch % 5 == 0))
            printf("epoch %2d: loss %.4f\n", epoch, loss);
    }
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model m = model_for_digits(1);
    dist_broadcast(m.weights, 0); /* replicas start alike, however each has made its start weights */
    if (wish.losses)
        tell_losses(&m, d, rank, world_size);
    else
        learn(&m, d, rank, world_size);
    double good = accuracy(&m, d, rank, world_size);
    if (rank == 0 && !wish.losses && !wish.csv)
        printf("%.1f %% of %d pictures that it has never seen are read rightly\n", good, TESTS);
    model_free(&m);
    free(d);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    wish.csv = count == 2 && strcmp(words[1], "csv") == 0;
    wish.losses = !wish.csv && asked_for("losses", count, words);
    return dist_spawn(run, 4);
}
