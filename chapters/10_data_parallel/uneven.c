/*
 * uneven.c: 1,797 pictures are 113 batches of 16, and 113 is prime: however many ranks there are, some have a batch more.
 *
 *     rank 0   batch 0   batch 4   ...   batch 108   batch 112, all_reduce: with whom?
 *     rank 1   batch 1   batch 5   ...   batch 109   done
 *     rank 2   batch 2   batch 6   ...   batch 110   done
 *     rank 3   batch 3   batch 7   ...   batch 111   done
 *
 * Run it:  make run-10 PROG=uneven N=4          Its cures are in even.c.
 */
#include "train.h"

enum { SMALL = 16, BATCHES = (IMAGES + SMALL - 1) / SMALL };

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model m = model_for_digits(1);
    for (int batch = rank; batch < BATCHES; batch += world_size) {
        struct part mine = { batch * SMALL, batch == BATCHES - 1 ? IMAGES : (batch + 1) * SMALL };
        model_gradients(&m, d, mine, SMALL * world_size);
        dist_all_reduce(m.gradients);
        model_step(&m);
    }
    model_free(&m);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
