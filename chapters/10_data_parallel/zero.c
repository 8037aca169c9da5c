/*
 * zero.c: the optimizer's state cut over the ranks. Each makes the step for its share of the weights, and for no other.
 *
 *     gradients   [ .... all of this rank's .... ]  --reduce_scatter-->  [ share: summed ]
 *     velocity                                                           [ share ]  step on this share
 *     weights     [ ........ everybody's ....... ]  <---all_gather-----  [ share: new ]
 *
 * Run it:  make run-10 PROG=zero N=4
 */
#include "train.h"

/* What a rank keeps of a model. */
struct zero {
    struct model m;
    tensor *weights, *velocity, *gradients; /* this rank's shares; the first and the last are views of m's */
};

static struct zero zero_new(int rank, int n)
{
    struct zero z = { .m = model_for_digits(n) };
    int64_t share = tensor_numel(z.m.weights) / n;
    tensor_free(z.m.velocity); /* nobody has all of it */
    z.m.velocity = NULL;
    z.weights = tensor_slice(z.m.weights, rank * share, (rank + 1) * share);
    z.velocity = tensor_zeros(DIST_F32, share);
    z.gradients = tensor_slice(z.m.gradients, rank * share, (rank + 1) * share);
    return z;
}

static void zero_step(struct zero *z)
{
    dist_reduce_scatter(z->gradients, z->m.gradients); /* in place: the share is a part of the whole */
    sgd(z->weights, z->velocity, z->gradients);
    dist_all_gather(z->m.weights, z->weights);
}

static void zero_free(struct zero *z)
{
    tensor_free(z->gradients);
    tensor_free(z->velocity);
    tensor_free(z->weights);
    model_free(&z->m);
}

static long long bytes(const tensor *t)
{
    return t ? 4 * (long long)tensor_numel(t) : 0;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct digits *d = digits_read();
    struct model flat = model_for_digits(world_size);
    struct zero zero = zero_new(rank, world_size);
    digits_shuffle(d, 1);
    for (int step = 0; step < STEPS; step++) {
        struct part mine = part_of_batch(step, rank, world_size);
        model_gradients(&flat, d, mine, BATCH);
        dist_all_reduce(flat.gradients);
        model_step(&flat);
        model_gradients(&zero.m, d, mine, BATCH);
        zero_step(&zero);
    }
    bool same = tensor_equal(flat.weights, zero.m.weights);
    long long count = (long long)tensor_numel(flat.weights);
    if (rank == 0) {
        printf("weights after %d steps: %s as with all_reduce\n", STEPS,
               same ? "the same bits" : "OTHER BITS");
        printf("state of the optimizer: %lld bytes a rank; with a share of it %lld, predicted %lld\n",
               bytes(flat.velocity), bytes(zero.velocity), 4 * count / world_size);
        printf("with weights and gradients: %lld; with a share %lld, predicted %lld\n",
               bytes(flat.weights) + bytes(flat.gradients) + bytes(flat.velocity),
               bytes(zero.m.weights) + bytes(zero.m.gradients) + bytes(zero.velocity),
               8 * count + 4 * count / world_size);
    }
    zero_free(&zero);
    model_free(&flat);
    free(d);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
