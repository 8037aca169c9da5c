/* communicator.c: what the algorithms are made of. */
#include "algorithms.h"
#include "../devices/host.h"

#include <stdlib.h>
#include <string.h>

void comm_swap(struct communicator *comm, int to, const void *out, int64_t out_count, int from, void *in,
               int64_t in_count)
{
    if (comm->status == DIST_OK)
        comm->swap(comm, to, out, out_count, from, in, in_count);
}

void comm_send(struct communicator *comm, int to, const void *data, int64_t count)
{
    comm_swap(comm, to, data, count, -1, NULL, -1);
}

void comm_recv(struct communicator *comm, int from, void *data, int64_t count)
{
    comm_swap(comm, -1, NULL, -1, from, data, count);
}

void *comm_at(const struct communicator *comm, const void *data, int64_t i)
{
    return data ? (char *)data + (size_t)i * dtype_size(comm->type) : NULL;
}

void *comm_scratch(struct communicator *comm, int64_t count)
{
    void *memory = comm->status == DIST_OK ? comm->scratch(comm, count) : NULL;
    if (!memory && comm->status == DIST_OK)
        comm->status = DIST_ERR_MEMORY;
    return memory;
}

void comm_copy(struct communicator *comm, void *to, const void *from, int64_t count)
{
    if (comm->status == DIST_OK && count > 0)
        host_copy(to, from, (size_t)count * dtype_size(comm->type));
}

void comm_combine(struct communicator *comm, void *into, const void *from, int64_t count)
{
    const void *both[2] = { into, from };
    if (comm->status == DIST_OK && count > 0)
        host_reduce(into, both, 2, count, comm->type, comm->op == DIST_AVG ? DIST_SUM : comm->op);
}

void comm_combine_in_order(struct communicator *comm, void *out, const void *all, int64_t count)
{
    const void **in = malloc((size_t)comm->size * sizeof *in);
    if (!in) {
        comm->status = DIST_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < comm->size; i++)
        in[i] = comm_at(comm, all, i * count);
    if (comm->status == DIST_OK && count > 0)
        host_reduce(out, in, comm->size, count, comm->type, comm->op);
    free(in);
}

void comm_average(struct communicator *comm, void *data, int64_t count)
{
    if (comm->op == DIST_AVG && comm->status == DIST_OK && count > 0)
        host_reduce_part(data, (const void *[]){ data }, 1, comm->size, count, comm->type, DIST_AVG);
}

/* As many bytes more travel as the type is wider; so a sum of F16 is no less right than where one rank adds it all up. */
void comm_all_reduce(struct communicator *comm, all_reduce_algorithm *algorithm, void *x, int64_t count)
{
    enum dist_type type = comm->type, wide = dtype_wide(type, comm->op);
    if (wide == type || algorithm == gather_all_reduce) {
        algorithm(comm, x, count);
        return;
    }
    comm->type = wide;
    void *sums = comm_scratch(comm, count);
    if (sums)
        dtype_convert(wide, sums, type, x, count);
    algorithm(comm, sums, count);
    comm->type = type;
    if (comm->status == DIST_OK)
        dtype_convert(type, x, wide, sums, count);
}

all_reduce_algorithm *algorithm_named(const char *name)
{
    static const struct {
        const char *name;
        all_reduce_algorithm *run;
    } all[] = {
        { "gather", gather_all_reduce },
        { "tree", tree_all_reduce },
        { "ring", ring_all_reduce },
        { "halving", halving_all_reduce },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].run;
    return NULL;
}
