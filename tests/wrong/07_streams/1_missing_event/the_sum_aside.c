/* feedback: the last addition belongs into the default stream */
/*
 * 1_missing_event.c: exercise 07.1. Two streams take turns on one tensor, and nothing but events keeps them in order.
 *
 *     default stream   [ work(x) ] . . . . . . . . . . [ x = x + y ]
 *                            |                           ^
 *                            | event               event |
 *                            v                           |
 *     stream `aside`   . . . [ y = x ][ y = y * y ] -----+
 *
 * All tensors lie on a GPU, a simulated one where there is none. work(x) puts work that changes x into the current stream. The two
 * lines for y belong into the stream `aside`, and the last addition into the default stream. In the end the default stream is the
 * current one.
 *
 * The host must not wait. What is enqueued here takes its order from two events; free both in the end.
 *
 * Grade it:  make exercise-07.1        Run it:  make try-07.1 N=2        A hint:  make hint-07.1
 */
#include "dist.h"

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x))
{
    /* TODO: work, then y in the stream aside, then the sum: who waits for which event? */
    work(x);
    dist_event *worked = dist_event_record();
    dist_stream_use(aside);
    dist_event_wait(worked);
    tensor_copy(y, x);
    tensor_mul(y, y);
    tensor_add(x, y);
    dist_event *squared = dist_event_record();
    dist_stream_use(NULL);
    dist_event_wait(squared);
    dist_event_free(squared);
    dist_event_free(worked);
    /* end of TODO */
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
