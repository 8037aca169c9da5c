/*
 * dist_algorithms.c: algorithms/ with the calls of dist.h, as a program would do it that had nothing but messages.
 *
 * It stands up here, and not in algorithms/, because it calls what a program calls.
 */
#include "algorithms/algorithms.h"
#include "context.h"

#define ROOMS 4

/* A crew whose messages are dist_isend and dist_irecv. They want tensors: so its memory is tensors. */
struct crew_of_calls {
    struct crew crew;
    struct dist_at at;
    tensor
        *known[ROOMS]; /* all that a message may be part of: the collective's own, then those from `room` */
    int count;
};

/* The tensor that looks at these elements; it is freed after the message. */
static tensor *view(struct crew_of_calls *c, const void *data, int64_t count)
{
    for (int i = 0; i < c->count; i++) {
        const char *begin = tensor_data_at(c->at, c->known[i]), *here = data;
        int64_t first = (here - begin) / (int64_t)dtype_size(c->crew.type);
        if (here >= begin && first + count <= tensor_numel_at(c->at, c->known[i]))
            return tensor_slice_at(c->at, c->known[i], first, first + count);
    }
    return NULL;
}

static void swap_by_calls(struct crew *crew, int to, const void *out, int64_t out_count, int from, void *in,
                          int64_t in_count)
{
    struct crew_of_calls *c = (struct crew_of_calls *)crew;
    tensor *leaves = out_count >= 0 ? view(c, out, out_count) : NULL;
    tensor *comes = in_count >= 0 ? view(c, in, in_count) : NULL;
    dist_work *works[2];
    int count = 0;
    if (in_count >= 0)
        works[count++] =
            dist_irecv_with((struct dist_recv_args){ .at = c->at, .tensor = comes, .src = from });
    if (out_count >= 0)
        works[count++] = dist_isend_with((struct dist_send_args){ .at = c->at, .tensor = leaves, .dst = to });
    int status = DIST_OK;
    for (int i = 0; i < count; i++)
        status = works[i] && dist_wait_at(c->at, works[i]) >= 0 ? status : DIST_ERR_STATE;
    crew->status = status;
    tensor_free_at(c->at, comes);
    tensor_free_at(c->at, leaves);
}

static void *room_of_tensors(struct crew *crew, int64_t count)
{
    struct crew_of_calls *c = (struct crew_of_calls *)crew;
    tensor *t = c->count < ROOMS ? tensor_full_at(c->at, crew->type, 0, 1, &count) : NULL;
    if (!t)
        return NULL;
    c->known[c->count++] = t;
    return tensor_data_at(c->at, t);
}

int algorithm_all_reduce_at(struct dist_at at, const char *name, tensor *x, enum dist_op op)
{
    all_reduce_algorithm *run = name ? algorithm_named(name) : NULL;
    int size = dist_get_world_size_with((struct dist_group_args){ .at = at });
    if (!run)
        return report(CALL_ALL_REDUCE, at, DIST_ERR_ARGUMENT,
                      "there is no algorithm \"%s\"; there are gather, tree, ring and halving",
                      name ? name : "NULL");
    if (size < 1 || tensor_unusable(x))
        return size < 1 ? size
                        : report(CALL_ALL_REDUCE, at, DIST_ERR_ARGUMENT,
                                 "the tensor %s; pass a tensor that was made and not yet freed",
                                 tensor_unusable(x));
    struct crew_of_calls c = { .at = at, .known = { x }, .count = 1 };
    c.crew = (struct crew){ .rank = dist_get_rank_with((struct dist_group_args){ .at = at }),
                            .size = size,
                            .type = tensor_type_at(at, x),
                            .op = op,
                            .swap = swap_by_calls,
                            .room = room_of_tensors };
    run(&c.crew, tensor_data_at(at, x), tensor_numel_at(at, x));
    for (int i = 1; i < c.count; i++)
        tensor_free_at(at, c.known[i]);
    return -c.crew.status;
}
