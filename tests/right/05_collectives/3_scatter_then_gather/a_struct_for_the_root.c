/* A struct that is empty on all ranks but the root; rows of a table are the blocks. */
#include "dist.h"

static void work_on(tensor *block, int rank)
{
    tensor_mul(block, block);
    tensor_add_scalar(block, rank);
}

struct table {
    tensor *in, *out;
};

static struct table lay(tensor *samples, int count, int rows, int block)
{
    struct table table = { tensor_zeros(DIST_F32, rows, block), tensor_zeros(DIST_F32, rows, block) };
    tensor *line = tensor_view(table.in, rows * block), *front = tensor_slice(line, 0, count);
    tensor_copy(front, samples);
    tensor_free(front);
    tensor_free(line);
    return table;
}

void work_through(tensor *samples, tensor *results, int count, int root, int rank, int world_size)
{
    int block = count % world_size == 0 ? count / world_size : count / world_size + 1;
    struct table table = { 0 };
    if (rank == root)
        table = lay(samples, count, world_size, block);
    tensor *mine = tensor_zeros(DIST_F32, block);
    dist_scatter(mine, table.in, root);
    dist_span("work of rank %d", rank)
        work_on(mine, rank);
    tensor_print(mine, "rank %d has made", rank);
    dist_gather(mine, table.out, root);
    for (int i = count; rank == root && i-- > 0;)
        tensor_set(results, i, tensor_item(table.out, i));
    tensor_free(mine);
    tensor_free(table.in);
    tensor_free(table.out);
}
