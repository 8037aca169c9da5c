/* A helper crosses from stream to stream, and gives its event back at once. */
#include "dist.h"

/* From here on the current stream is `to`, behind all that the one before has to do. */
static void cross(dist_stream *to)
{
    dist_event *done = dist_event_record();
    dist_stream_use(to);
    dist_event_wait(done);
    dist_event_free(done);
}

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    work(x);
    cross(aside);
    tensor_copy(y, x);
    tensor_mul(y, y);
    cross(NULL);
    tensor_add(x, y);
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
