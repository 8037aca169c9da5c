/* plugin.c: a shared library that uses the library; loads.c and twice.c load it while they run. */
#include <dist.h>
#include <stdio.h>

int plugin_job(void);
int plugin_rank(void);

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank + 1, 1);
    dist_all_reduce(x);
    if (rank == 0)
        printf("the sum of 1 to %d is %g\n", size, tensor_item(x, 0));
    tensor_free(x);
    dist_destroy_process_group();
}

int plugin_job(void)
{
    return dist_spawn(run, 4);
}

/* Inside somebody else's job. */
int plugin_rank(void)
{
    return dist_get_rank();
}
