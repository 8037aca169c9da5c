/*
 * worlds.c: a tensor on the GPU and its copy on the host are two tensors in two worlds.
 *
 *     host     copy of x                    copy of x (still the old one)   copy of x (a new one)
 *                 ^                                                            ^
 *                 | tensor_to                                                  | tensor_to
 *     GPU      x = rank + 1   ------------- all_reduce -------------------> x = the sum
 *
 * Where there is no GPU a simulated one stands in. Run it:  make run-12 PROG=worlds N=4
 */
#include "dist.h"

static void say(int rank, const char *when, tensor *x)
{
    printf("rank %d, %s: x lies on the %s\n", rank, when, tensor_device(x) == DIST_GPU ? "GPU" : "host");
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    (void)world_size;
    dist_set_device(DIST_GPU); /* from now on tensors are made there */
    tensor *x = tensor_full(DIST_F32, rank + 1, 2);
    say(rank, "made", x);

    tensor *before = tensor_to(x, DIST_HOST);
    dist_all_reduce(x); /* GPU to GPU: the host's copy does not change */
    tensor *after = tensor_to(x, DIST_HOST);
    say(rank, "summed", x);

    tensor_print(before, "rank %d copied it to the host before: ", rank);
    tensor_print(after, "rank %d copied it to the host after:  ", rank);
    tensor_free(after);
    tensor_free(before);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
