/* Puts back the stream that it found, and marks what is computed with spans of its own. */
#include "dist.h"

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    dist_event *events[2] = { NULL, NULL };
    dist_span("desk: work") {
        work(x);
    }
    events[0] = dist_event_record();
    dist_stream *before = dist_stream_use(aside);
    dist_event_wait(events[0]);
    dist_span("square") {
        tensor_copy(y, x);
        tensor_mul(y, x);
        events[1] = dist_event_record();
    }
    dist_stream_use(before);
    dist_event_wait(events[1]);
    tensor_add(x, y);
    for (int i = 1; i >= 0; i--)
        dist_event_free(events[i]);
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
