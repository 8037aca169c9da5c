/*
 * missing_event.c: two streams, and nothing that orders them: one reads what the other has not written yet.
 *
 *     stream 1         [ multiply . . . . . . ][ fill x ]
 *     default stream   [ print x ]
 *
 * Run it:  make run-07 PROG=missing_event N=2
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU);

    tensor *a = tensor_full(DIST_F32, 0.01, 500, 500), *out = tensor_zeros(DIST_F32, 500, 500);
    tensor *x = tensor_full(DIST_F32, 0, 4);
    dist_stream *aside = dist_stream_new();
    dist_synchronize();

    dist_stream_use(aside);
    for (int i = 0; i < 8; i++)
        tensor_matmul(out, a, a);
    tensor_fill(x, 100 * rank + 7);
    dist_stream_use(NULL);
    tensor_print(x, "rank %d sees", rank);

    dist_synchronize();
    dist_stream_free(aside);
    tensor_free(x);
    tensor_free(out);
    tensor_free(a);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
