/*
 * chain.c: a number travels from rank to rank; each one that it reaches adds 10.
 *
 *     rank 0 --42--> rank 1 --52--> rank 2 --62--> rank 3
 *     source         relay          relay          sink
 *
 * Run it:  make run-02 PROG=chain N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *x = tensor_full(DIST_F32, 42, 1);
    if (rank > 0) {
        dist_recv(x, rank - 1);
        tensor_add_scalar(x, 10);
    }
    if (rank < world_size - 1)
        dist_send(x, rank + 1);
    printf("rank %d holds %g\n", rank, tensor_item(x, 0));

    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
