/* bench_mpi.c: an MPI library, measured in the same way; peers.sh builds it, once with each library's mpicc. */
#include <mpi.h>

#include "bench.h"

#include <stdlib.h>

static int my_rank;

void side_new(struct buffer *buffer, long count)
{
    buffer->own = calloc((size_t)count, sizeof(float));
    buffer->x = buffer->own;
    buffer->count = count;
}

void side_view(struct buffer *view, const struct buffer *whole, long from, long count)
{
    view->own = NULL;
    view->x = whole->x + from;
    view->count = count;
}

void side_free(struct buffer *buffer)
{
    free(buffer->own);
}

void side_send(struct buffer *buffer, int to)
{
    MPI_Send(buffer->x, (int)buffer->count, MPI_FLOAT, to, 0, MPI_COMM_WORLD);
}

void side_recv(struct buffer *buffer, int from)
{
    MPI_Recv(buffer->x, (int)buffer->count, MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void side_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

void side_broadcast(struct buffer *out, struct buffer *in, int root)
{
    (void)in;
    MPI_Bcast(out->x, (int)out->count, MPI_FLOAT, root, MPI_COMM_WORLD);
}

void side_all_reduce(struct buffer *out, struct buffer *in, int root)
{
    (void)in;
    (void)root;
    MPI_Allreduce(MPI_IN_PLACE, out->x, (int)out->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void side_all_gather(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    MPI_Allgather(in->x, (int)in->count, MPI_FLOAT, out->x, (int)in->count, MPI_FLOAT, MPI_COMM_WORLD);
}

void side_reduce_scatter(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    MPI_Reduce_scatter_block(in->x, out->x, (int)out->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void side_all_to_all(struct buffer *out, struct buffer *in, int root)
{
    (void)root;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int block = (int)in->count / ranks;
    MPI_Alltoall(in->x, block, MPI_FLOAT, out->x, block, MPI_FLOAT, MPI_COMM_WORLD);
}

void side_scatter(struct buffer *out, struct buffer *in, int root)
{
    MPI_Scatter(my_rank == root ? in->x : NULL, (int)out->count, MPI_FLOAT, out->x, (int)out->count,
                MPI_FLOAT, root, MPI_COMM_WORLD);
}

void side_gather(struct buffer *out, struct buffer *in, int root)
{
    MPI_Gather(in->x, (int)in->count, MPI_FLOAT, my_rank == root ? out->x : NULL, (int)in->count, MPI_FLOAT,
               root, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bench_ask(argc, argv);
    bench_run(my_rank, size);
    MPI_Finalize();
    return 0;
}
