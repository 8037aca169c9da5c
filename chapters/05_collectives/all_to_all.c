/*
 * all_to_all.c: everybody has a block for everybody. That is how tokens get to their experts, and back.
 *
 *     rank                0                1                 2                  3
 *     before      [0, 1, 2, 3]  [100, 101, 102, 103]  [200, .., 203]    [300, .., 303]
 *     after  [0, 100, 200, 300]  [1, 101, 201, 301]  [2, 102, 202, 302]  [3, 103, 203, 303]
 *
 * Run it:  make run-05 PROG=all_to_all N=4
 */
#include "dist.h"

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *tokens = tensor_arange(DIST_F32, 100 * rank, 100 * rank + world_size);
    tensor *arrived = tensor_zeros(DIST_F32, world_size);
    dist_all_to_all(arrived, tokens);
    tensor_print(arrived, "expert %d got", rank);

    /* Each expert adds its mark. The answers travel back while the expert does something else. */
    tensor_add_scalar(arrived, 0.5);
    tensor *answers = tensor_zeros(DIST_F32, world_size);
    tensor *load = tensor_full(DIST_F32, 0, 1);
    dist_work *returning = dist_all_to_all(answers, arrived, .async_op = true);
    tensor_add_scalar(load, world_size);
    dist_wait(returning);
    tensor_print(answers, "rank %d got back", rank);

    tensor_free(load);
    tensor_free(answers);
    tensor_free(arrived);
    tensor_free(tokens);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
