/*
 * even.c: three cures for ranks that do not have equally many batches (uneven.c).
 *
 *     stop early         all stop when the first has no batch left: some pictures are never learned from
 *     from the front     who has none left takes batches from the front: some pictures count twice
 *     with nothing       who has none left takes part with zeros, and the sum is divided by the pictures in it
 *
 * Run it:  make run-10 PROG=even N=4
 */
#include "train.h"

enum { SMALL = 16, BATCHES = (IMAGES + SMALL - 1) / SMALL };

/* The pictures of a batch; behind the last batch there are none. */
static struct part batch_at(int batch)
{
    int begin = batch * SMALL, end = begin + SMALL;
    return (struct part){ begin < IMAGES ? begin : IMAGES, end < IMAGES ? end : IMAGES };
}

/* One round: everybody's pictures count alike, however many each rank has. */
static int learn_from(struct model *m, const struct digits *d, struct part mine)
{
    int count = (int)over_all(mine.end - mine.begin, DIST_SUM);
    model_gradients(m, d, mine, count);
    dist_all_reduce(m->gradients);
    model_step(m);
    return count;
}

typedef int cure(struct model *m, const struct digits *d, int rank, int n, int *rounds);

static int stop_early(struct model *m, const struct digits *d, int rank, int n, int *rounds)
{
    int count = 0;
    for (*rounds = 0; *rounds < BATCHES / n; ++*rounds)
        count += learn_from(m, d, batch_at(*rounds * n + rank));
    return count;
}

static int from_the_front(struct model *m, const struct digits *d, int rank, int n, int *rounds)
{
    int count = 0;
    for (*rounds = 0; *rounds * n < BATCHES; ++*rounds)
        count += learn_from(m, d, batch_at((*rounds * n + rank) % BATCHES));
    return count;
}

static int with_nothing(struct model *m, const struct digits *d, int rank, int n, int *rounds)
{
    int count = 0;
    for (*rounds = 0; *rounds * n < BATCHES; ++*rounds)
        count += learn_from(m, d, batch_at(*rounds * n + rank));
    return count;
}

static void tell(const char *name, cure *cure, const struct digits *d, int rank, int n)
{
    struct model m = model_for_digits(1);
    int rounds, count = cure(&m, d, rank, n, &rounds);
    if (rank == 0)
        printf("%-15s %3d rounds, learned from %d pictures\n", name, rounds, count);
    model_free(&m);
}

/* The last round, in which ranks have different numbers of pictures: how far is the mean of the ranks' means from the mean? */
static void mean_of_means(const struct digits *d, int rank, int n)
{
    struct model means = model_for_digits(1), mean = model_for_digits(1);
    struct part mine = batch_at((BATCHES - 1) / n * n + rank);
    int own = mine.end - mine.begin;
    model_gradients(&means, d, mine, own ? own : 1);
    dist_all_reduce(means.gradients, .op = DIST_AVG);
    model_gradients(&mean, d, mine, (int)over_all(own, DIST_SUM));
    dist_all_reduce(mean.gradients);
    double wrong = tensor_item(means.gradient[3], 0), right = tensor_item(mean.gradient[3], 0);
    if (rank == 0)
        printf("the last round: a number of the gradient is %.5f; with DIST_AVG over the ranks it is %.5f\n",
               right, wrong);
    model_free(&mean);
    model_free(&means);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    tell("stop early:", stop_early, d, rank, world_size);
    tell("from the front:", from_the_front, d, rank, world_size);
    tell("with nothing:", with_nothing, d, rank, world_size);
    mean_of_means(d, rank, world_size);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
