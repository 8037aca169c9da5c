/*
 * bench_tracing.c: what a trace costs: nanoseconds an event. Run it with DIST_TRACE=file and WORLD_SIZE=1.
 *
 * An all_reduce of one rank waits for nobody, so none of the cost can hide behind somebody's waiting. It leaves one event. Calls
 * through the tracing backend and calls past it take turns. It looks inside the library, so it is linked with build/libinside.a.
 */
#include "context.h"
#include "dist.h"
#include "timing.h"
#include "trace/wrap.h"

enum { TURNS = 101, CALLS = 500 };

/* Microseconds a call. */
static double turn(tensor *x)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        dist_all_reduce(x);
    return (now() - start) / CALLS;
}

static void run(int rank, int world_size)
{
    double cost[TURNS];
    dist_init_process_group();
    struct context *context = context_get();
    const struct trace *trace = context->self->trace;
    const struct backend *tracing = context->backend;
    if (tracing == &backend_shm) {
        fprintf(stderr, "nothing is traced: DIST_TRACE is not set\n");
        exit(2);
    }
    tensor *x = tensor_zeros(DIST_F32, 2);
    for (int t = 0; t < TURNS; t++) {
        double with = turn(x);
        context->backend = trace->inner;
        cost[t] = (with - turn(x)) * 1000;
        context->backend = tracing;
    }
    if (rank == 0)
        tell("tracing", world_size, 8, median(cost, TURNS), "ns");
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 1);
}
