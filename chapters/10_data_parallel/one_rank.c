/*
 * one_rank.c: a perceptron learns to read digits, on one rank. No message.
 *
 *     24 batches of 64 pictures:   forward  ->  loss  ->  backward  ->  step          20 times
 *
 * Run it:  make run-10 PROG=one_rank N=1
 */
#include "train.h"

enum { EPOCHS = 20 };

static double one_epoch(struct model *m, const struct digits *d)
{
    double loss = 0;
    for (int step = 0; step < STEPS; step++) {
        struct part batch = { step * BATCH, (step + 1) * BATCH };
        loss += model_gradients(m, d, batch, BATCH);
        model_step(m);
    }
    return loss / STEPS;
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model m = model_for_digits(1);
    for (int epoch = 1; rank == 0 && epoch <= EPOCHS; epoch++) {
        digits_shuffle(d, epoch);
        double loss = one_epoch(&m, d);
        if (epoch == 1 || epoch % 5 == 0)
            printf("epoch %2d: loss %.4f\n", epoch, loss);
    }
    dist_broadcast(m.weights, 0); /* the others have waited here */
    double good = accuracy(&m, d, rank, world_size);
    if (rank == 0)
        printf("%.1f %% of %d pictures that it has never seen are read rightly\n", good, TESTS);
    model_free(&m);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
