/*
 * hello.c: one program, run by several ranks at the same time.
 *
 *               +---> run(0, 4)
 *               +---> run(1, 4)
 *     main() ---+                    four processes, each with memory of its own
 *               +---> run(2, 4)
 *               +---> run(3, 4)
 *
 * Run it:  make run-01 PROG=hello N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    printf("hello from rank %d of %d\n", dist_get_rank(), dist_get_world_size());
    if (rank == 0)
        printf("the highest rank is %d, and only rank 0 says so\n", world_size - 1);

    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
