/*
 * chain_vector.c: a list travels down the chain; every rank writes one entry, its own.
 *
 *     rank 0 --[1, 0, 0, 0]--> rank 1 --[1, 101, 0, 0]--> rank 2 --[1, 101, 201, 0]--> rank 3
 *     source                   relay                      relay                        sink
 *
 * Run it:  make run-02 PROG=chain_vector N=4
 */
#include "dist.h"

static void source(tensor *list)
{
    tensor_set(list, 0, 1);
    dist_send(list, 1);
}

static void relay(tensor *list, int rank)
{
    dist_recv(list, rank - 1);
    tensor_set(list, rank, 100 * rank + 1);
    dist_send(list, rank + 1);
}

static void sink(tensor *list, int rank)
{
    dist_recv(list, rank - 1);
    tensor_set(list, rank, 100 * rank + 1);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();

    tensor *list = tensor_zeros(DIST_F32, world_size);
    if (world_size == 1)
        tensor_set(list, 0, 1); /* both ends of the chain at once: nobody to send to */
    else if (rank == 0)
        source(list);
    else if (rank < world_size - 1)
        relay(list, rank);
    else
        sink(list, rank);
    tensor_print(list, "rank %d holds", rank);

    tensor_free(list);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
