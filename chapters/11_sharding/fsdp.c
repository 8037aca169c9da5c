/*
 * fsdp.c: nobody has the whole model. A block's weights are gathered just before they are used, and let go after; its gradients
 * are summed and cut as soon as they are there. Known as FSDP, or ZeRO-3.
 *
 *     compute          [ forward 0 ][ forward 1 ][ forward 2 ] ...
 *     communication  [ gather 0 ][ gather 1 ][ gather 2 ] ...          backward: the same from the last block to the first
 *
 * Run it:  make run-11 PROG=fsdp N=4
 */
#define _POSIX_C_SOURCE 200809L
#include "shards.h"

enum { STEPS = 3 };

/* Are this rank's shares the same bits as its shares of the whole weights? */
static bool same_bits(const struct sharded *shares, const struct sharded *whole)
{
    bool same = true;
    for (int i = 0; i < shares->m.blocks; i++) {
        tensor *right = rows_of(whole->weights[i], shares->rank, tensor_numel(shares->weights[i]));
        same = same && tensor_equal(shares->weights[i], right);
        tensor_free(right);
    }
    return same;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    struct text *t = text_read();
    struct config config = config_for(t, 1);
    struct sharded *whole = sharded_new(config, 0), *shares = sharded_new(config, 3);
    for (int step = 1; step <= STEPS; step++) {
        const int *sample = text_sample(t, step, rank);
        double loss = over_all(sharded_gradients(whole, sample), DIST_SUM);
        sharded_step(whole, step);
        double again = over_all(sharded_gradients(shares, sample), DIST_SUM);
        sharded_step(shares, step);
        if (rank == 0)
            printf("step %d: loss %.4f, with shares %.4f\n", step, loss, again);
    }
    bool same = over_all(same_bits(shares, whole), DIST_MIN) > 0;
    if (rank == 0)
        printf("weights after %d steps on %d rank%s: %s\n", STEPS, world_size, world_size > 1 ? "s" : "",
               same ? "the same bits" : "OTHER BITS");
    sharded_free(shares);
    sharded_free(whole);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_SIM", "20:0.25", 0); /* how quick the simulated links are: 20 us, 0.25 GB/s */
    return dist_spawn(run, 4);
}
