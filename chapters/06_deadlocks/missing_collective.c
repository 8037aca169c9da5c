/*
 * missing_collective.c: rank 0 wants to print the mean loss, so it alone asks for it. The others go home.
 *
 *     rank 0   all_reduce . . . . .
 *     others   destroy
 *
 * It ends with a report, on purpose. Run it:  make run-06 PROG=missing_collective N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    tensor *loss = tensor_full(DIST_F32, rank + 0.5, 1);

    if (rank == 0) {
        dist_all_reduce(loss, .op = DIST_AVG);
        tensor_print(loss, "mean loss");
    }

    tensor_free(loss);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
