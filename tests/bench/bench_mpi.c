/* bench_mpi.c: an MPI library, measured in the same way; built by bench.sh with mpicc. */
#define _GNU_SOURCE
#include <mpi.h>

#include "cases.inc.h"

struct side_buffer {
    int count;
    float *data;
};

static struct side_buffer *side_new(long count)
{
    struct side_buffer *buffer = malloc(sizeof *buffer);
    buffer->count = (int)count;
    buffer->data = calloc((size_t)count, sizeof(float));
    return buffer;
}

static void side_free(struct side_buffer *buffer)
{
    free(buffer->data);
    free(buffer);
}

static float *side_data(struct side_buffer *buffer)
{
    return buffer->data;
}

static void side_send(struct side_buffer *buffer, int to)
{
    MPI_Send(buffer->data, buffer->count, MPI_FLOAT, to, 0, MPI_COMM_WORLD);
}

static void side_recv(struct side_buffer *buffer, int from)
{
    MPI_Recv(buffer->data, buffer->count, MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void side_all_reduce(struct side_buffer *buffer)
{
    MPI_Allreduce(MPI_IN_PLACE, buffer->data, buffer->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void side_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    run_cases(rank, size);
    MPI_Finalize();
    return 0;
}
