/*
 * everyone.c: two calls that every rank takes part in.
 *
 *     rank            0          1            2            3
 *     has          [1, 2]   [101, 102]   [201, 202]   [301, 302]
 *                     \          \            /            /
 *     all_gather       [1, 2, 101, 102, 201, 202, 301, 302]      the list, on every rank
 *     all_reduce                  [604, 608]                     the sum, on every rank
 *
 * Run it:  make run-01 PROG=everyone N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *mine = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 3);
    tensor *list = tensor_zeros(DIST_F32, 2 * world_size);
    tensor_print(mine, "rank %d brings", rank);

    dist_all_gather(list, mine);
    tensor_print(list, "rank %d gathered", rank);

    dist_all_reduce(mine);
    tensor_print(mine, "rank %d reduced", rank);

    tensor_free(list);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
