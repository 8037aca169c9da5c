/*
 * dist_algorithms.c: algorithms/ with the calls of dist.h, as a program would do it that had nothing but messages.
 *
 * It stands up here, and not in algorithms/, because it calls what a program calls.
 */
#include "algorithms/algorithms.h"
#include "collective.h"
#include "devices/host.h"

#define SCRATCHES 4

/* A communicator whose messages are dist_isend and dist_irecv. */
struct comm_of_calls {
    struct communicator comm;
    struct dist_at at;
    struct launch_self *self;
    void *scratch[SCRATCHES];
    int count;
};

/* The calls want a tensor: one that looks at these elements, for as long as the message takes. */
static tensor dist_algorithms_look_at(const struct communicator *comm, const void *data, int64_t count)
{
    return (tensor){ .live = TENSOR_LIVE,
                     .type = comm->type,
                     .ndim = 1,
                     .shape = { count },
                     .numel = count,
                     .data = (void *)(uintptr_t)data };
}

static void dist_algorithms_swap_by_calls(struct communicator *comm, int to, const void *out,
                                          int64_t out_count, int from, void *in, int64_t in_count)
{
    struct comm_of_calls *c = (struct comm_of_calls *)comm;
    tensor leaves = dist_algorithms_look_at(comm, out, out_count),
           comes = dist_algorithms_look_at(comm, in, in_count);
    dist_work *works[2];
    int count = 0;
    if (in_count >= 0)
        works[count++] = dist_irecv_from(c->at.file, c->at.line, &comes, from, 0, NULL);
    if (out_count >= 0)
        works[count++] = dist_isend_from(c->at.file, c->at.line, &leaves, to, 0, NULL);
    for (int i = 0; i < count; i++) {
        int result = works[i] ? dist_wait_at(c->at, works[i]) : -DIST_ERR_STATE;
        if (result < 0)
            comm->status = -result;
    }
}

static void *dist_algorithms_scratch_from_host(struct communicator *comm, int64_t count)
{
    struct comm_of_calls *c = (struct comm_of_calls *)comm;
    void *memory = c->count < SCRATCHES ? host_alloc(c->self, (size_t)count * dtype_size(comm->type)) : NULL;
    if (memory)
        c->scratch[c->count++] = memory;
    return memory;
}

static int dist_algorithms_check(struct dist_at at, const char *name, const tensor *x, enum dist_op op)
{
    if (!name || !algorithm_named(name))
        return report(CALL_ALL_REDUCE, at, DIST_ERR_ARGUMENT,
                      "there is no algorithm \"%s\"; there are gather, tree, ring and halving",
                      name ? name : "NULL");
    bool good = context_tensor(context_get(), CALL_ALL_REDUCE, at, "tensor", x) &&
                collective_check_op(CALL_ALL_REDUCE, at, op);
    return good ? 0 : call_note.error;
}

/* Where the algorithm works: in the tensor, or, where that lies on a GPU, in a copy on the host. NULL: no memory; reported. */
static void *dist_algorithms_workplace(struct dist_at at, struct launch_self *self, tensor *x)
{
    size_t bytes = (size_t)x->numel * dtype_size(x->type);
    void *copy = x->gpu ? host_alloc(self, bytes) : x->data;
    if (!copy)
        report(CALL_ALL_REDUCE, at, DIST_ERR_MEMORY, "the host has no memory for a copy of the tensor");
    else if (x->gpu)
        tensor_read_at(at, x, copy);
    return copy;
}

int algorithm_all_reduce_at(struct dist_at at, const char *name, tensor *x, enum dist_op op)
{
    int size = dist_get_world_size_with((struct dist_group_args){ .at = at });
    int wrong = size < 1 ? size : dist_algorithms_check(at, name, x, op);
    if (wrong)
        return wrong;
    struct comm_of_calls c = { .at = at, .self = context_get()->self };
    c.comm = (struct communicator){ .rank = c.self->env.rank,
                                    .size = size,
                                    .type = x->type,
                                    .op = op,
                                    .swap = dist_algorithms_swap_by_calls,
                                    .scratch = dist_algorithms_scratch_from_host };
    void *data = dist_algorithms_workplace(at, c.self, x);
    if (!data)
        return -DIST_ERR_MEMORY;
    comm_all_reduce(&c.comm, algorithm_named(name), data, x->numel);
    if (x->gpu) {
        tensor_write_at(at, x, data);
        host_free(c.self, data);
    }
    while (c.count > 0)
        host_free(c.self, c.scratch[--c.count]);
    if (c.comm.status == DIST_ERR_MEMORY)
        return report(CALL_ALL_REDUCE, at, DIST_ERR_MEMORY,
                      "there is no memory left for the messages of this collective");
    return -c.comm.status;
}
