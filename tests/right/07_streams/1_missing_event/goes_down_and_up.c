/* Two functions, one inside the other: who comes back waits for what was done below. */
#include "dist.h"

static dist_event *squared_aside(tensor *y, tensor *x, dist_stream *aside)
{
    dist_event *ready = dist_event_record(), *squared;
    dist_stream *caller = dist_stream_use(aside);
    if (dist_event_wait(ready) != DIST_OK)
        goto done;
    tensor_copy(y, x);
    tensor_mul(y, y);
done:
    squared = dist_event_record();
    dist_event_free(ready);
    dist_stream_use(caller);
    return squared;
}

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    (*work)(x);
    dist_event *squared = squared_aside(y, x, aside);
    dist_event_wait(squared);
    tensor_add(x, y);
    dist_event_free(squared);
}

static void triple(tensor *x)
{
    tensor_mul_scalar(x, 3);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    dist_set_device(DIST_GPU);
    tensor *x = tensor_arange(DIST_F32, 10 * rank + 1, 10 * rank + 4), *y = tensor_zeros(DIST_F32, 3);
    dist_stream *aside = dist_stream_new();

    two_streams(x, y, aside, triple);
    tensor_print(x, "rank %d holds", rank);

    dist_stream_free(aside);
    tensor_free(y);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
