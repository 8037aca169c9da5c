/*
 * ahead.c: a step of FSDP on simulated GPUs: each block's weights are gathered when they are needed; then one block ahead.
 *
 *     when needed    compute          [ forward 0 ]            [ forward 1 ]            [ forward 2 ]
 *                    communication  ..           [ gather 1 ..]            [ gather 2 ..]
 *     one ahead      compute          [ forward 0 ][ forward 1 ][ forward 2 ]
 *                    communication    [ gather 1 ..][ gather 2 ..][ gather 3 ..]
 *
 * Run it:  make run-11 PROG=ahead N=2
 */
#define _POSIX_C_SOURCE 200809L
#include "shards.h"

/* Milliseconds of forward and backward, on the GPU's clock. */
static double time_of(struct sharded *s, const int *sample, int ahead)
{
    s->ahead = ahead;
    dist_barrier();
    dist_event *begin = dist_event_record();
    dist_span(ahead ? "one ahead" : "when needed")
        sharded_gradients(s, sample);
    dist_event *end = dist_event_record();
    double seconds = dist_event_elapsed(begin, end);
    dist_event_free(end);
    dist_event_free(begin);
    return 1e3 * over_all(seconds, DIST_MAX);
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    struct text *t = text_read();
    struct config config = config_for(t, 1);
    config.width = 128; /* layers that take long enough to be seen */
    struct sharded *s = sharded_new(config, 3);
    sharded_gradients(s, text_sample(t, 1, rank)); /* whatever comes first touches memory that is new */
    double needed = time_of(s, text_sample(t, 1, rank), 0), ahead = time_of(s, text_sample(t, 1, rank), 1);
    if (rank == 0)
        printf("gathered when needed: %.1f ms\ngathered one ahead:   %.1f ms\n", needed, ahead);
    sharded_free(s);
    free(t);
    dist_destroy_process_group();
}

int main(void)
{
    setenv("DIST_SIM", "20:0.1", 0); /* how quick the simulated links are: 20 us, 0.1 GB/s */
    return dist_spawn(run, 2);
}
