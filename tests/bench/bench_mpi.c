/* bench_mpi.c: an MPI library, measured in the same way; peers.sh builds it, once with each library's mpicc. */
#include <mpi.h>

#include "bench.h"

#include <stdlib.h>
#include <string.h>

static int my_rank;
static MPI_Comm talks_in = MPI_COMM_NULL; /* send and recv; MPI_COMM_NULL: in the world */

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

static MPI_Comm comm(void)
{
    return talks_in == MPI_COMM_NULL ? MPI_COMM_WORLD : talks_in;
}

void side_send(struct buffer *buffer, int to)
{
    MPI_Send(buffer->x, (int)buffer->count, MPI_FLOAT, to, 0, comm());
}

void side_recv(struct buffer *buffer, int from)
{
    MPI_Recv(buffer->x, (int)buffer->count, MPI_FLOAT, from, 0, comm(), MPI_STATUS_IGNORE);
}

void side_in_group(int inside)
{
    if (talks_in != MPI_COMM_NULL)
        MPI_Comm_free(&talks_in);
    if (inside)
        MPI_Comm_dup(MPI_COMM_WORLD, &talks_in);
}

/* An MPI_Request is a number or a pointer, as the library likes. */
static side_request keep(MPI_Request request)
{
    side_request kept = { NULL };
    memcpy(&kept, &request, sizeof request);
    return kept;
}

side_request side_isend(struct buffer *buffer, int to, int tag)
{
    MPI_Request request;
    MPI_Isend(buffer->x, (int)buffer->count, MPI_FLOAT, to, tag, MPI_COMM_WORLD, &request);
    return keep(request);
}

side_request side_irecv(struct buffer *buffer, int from, int tag)
{
    MPI_Request request;
    MPI_Irecv(buffer->x, (int)buffer->count, MPI_FLOAT, from == SIDE_ANYBODY ? MPI_ANY_SOURCE : from, tag,
              MPI_COMM_WORLD, &request);
    return keep(request);
}

side_request side_iall_reduce(struct buffer *buffer)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, buffer->x, (int)buffer->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    return keep(request);
}

void side_wait_all(side_request *requests, int count)
{
    MPI_Request all[128];
    MPI_Status statuses[128]; /* gcc warns of MPICH's MPI_STATUSES_IGNORE */
    _Static_assert(sizeof all[0] <= sizeof requests[0], "a request has its place in ours");
    for (int i = 0; i < count; i++)
        memcpy(&all[i], &requests[i], sizeof all[i]);
    MPI_Waitall(count, all, statuses);
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
