/*
 * tensor_parallel.c: every layer cut over all ranks: heads, and the MLP's columns, then rows. One sample, forward and backward.
 *
 *     x --+--> [ my heads     ] --+--> all_reduce --> + --+--> [ my part of the MLP ] --+--> all_reduce --> +
 *         |                       (a part of a sum)      |                             (a part of a sum)
 *     backward: all_reduce here                         and here
 *
 * Run it:  make run-11 PROG=tensor_parallel N=4
 */
#include "compare.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    struct text *t = text_read();
    struct config config = config_for(t, world_size);
    struct cut cut = cut_tensor(NULL);
    long long sent = 0;
    cut.sent = &sent;
    struct model whole = model_new(config, cut_none(), 0, config.layers + 2);
    struct model part = model_new(config, cut, 0, config.layers + 2);
    const int *sample = text_sample(t, 0, 0);

    double loss = model_gradients(&whole, sample), cut_loss = 0;
    dist_span("forward and backward")
        cut_loss = model_gradients(&part, sample);
    double apart = over_all(gradients_apart(&whole, &part), DIST_MAX);
    long long sum = 4LL * config.length * config.width;
    if (rank == 0) {
        printf("%d heads on %d rank%s: loss %.4f, on one rank %.4f\n", config.heads, world_size,
               world_size > 1 ? "s" : "", cut_loss, loss);
        printf("gradients: %s\n", apart < 1e-5 ? "equal to within 1e-5" : "WRONG");
        printf("parameters of a layer: %lld on one rank, %lld here\n", (long long)whole.block[1].length,
               (long long)part.block[1].length);
        printf(
            "an all_reduce sums %lld bytes; 4 of them in each of 4 layers send %lld bytes, predicted %lld\n",
            sum, sent, 16 * 2 * sum * (world_size - 1) / world_size);
    }
    model_free(&part);
    model_free(&whole);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
