/* bench_dist.c: our library, measured. WORLD_SIZE and BACKEND as for every program. */
#define _GNU_SOURCE
#include "dist.h"

#include "cases.inc.h"

static struct side_buffer *side_new(long count)
{
    return (struct side_buffer *)tensor_zeros(DIST_F32, count);
}

static void side_free(struct side_buffer *buffer)
{
    tensor_free((tensor *)buffer);
}

static float *side_data(struct side_buffer *buffer)
{
    return tensor_data((tensor *)buffer);
}

static void side_send(struct side_buffer *buffer, int to)
{
    dist_send((tensor *)buffer, to);
}

static void side_recv(struct side_buffer *buffer, int from)
{
    dist_recv((tensor *)buffer, from);
}

static void side_all_reduce(struct side_buffer *buffer)
{
    dist_all_reduce((tensor *)buffer);
}

static void side_barrier(void)
{
    dist_barrier();
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    run_cases(rank, world_size);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
