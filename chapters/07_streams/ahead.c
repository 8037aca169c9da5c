/*
 * ahead.c: the host puts work into a stream and goes on.
 *
 *     host      put  put  put ................ look
 *     stream    [ multiply ][ multiply ][ add ] |
 *
 * Run it:  make run-07 PROG=ahead N=2
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    dist_set_device(DIST_GPU); /* tensors made from here on lie on the GPU */

    tensor *a = tensor_full(DIST_F32, 0.5, 400, 400);
    tensor *b = tensor_full(DIST_F32, 0.25, 400, 400);
    tensor *c = tensor_zeros(DIST_F32, 400, 400);
    tensor_matmul(c, a, b); /* the first one on a GPU also loads what it needs, which takes long */
    dist_synchronize();

    double start = dist_time();
    for (int i = 0; i < 4; i++)
        tensor_matmul(c, a, b);
    tensor_add_scalar(c, rank);
    double enqueued = dist_time();
    double element = tensor_item(c, 0); /* here the host looks, and waits */
    double seen = dist_time();

    printf("rank %d: the host had enqueued all after %5.2f ms, and saw %g after %6.2f ms\n", rank,
           (enqueued - start) * 1e3, element, (seen - start) * 1e3);
    printf("rank %d: %s\n", rank,
           enqueued - start < (seen - start) / 2 ? "the calls returned before the work was done"
                                                 : "the calls waited for the work");

    tensor_free(c);
    tensor_free(b);
    tensor_free(a);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
