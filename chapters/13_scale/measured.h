/*
 * measured.h: the library's algorithms with calls of dist.h, over some of the ranks: what measured.c measures.
 *
 * An algorithm asks its communicator for memory, and for messages from and to it. Here all memory is one tensor, so whatever travels is a slice.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include "algorithms/algorithms.h"

#include <string.h>

enum { MOST_RANKS = 128 };

struct caller {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    int ranks[MOST_RANKS];    /* where each of its ranks is in the world */
    tensor *memory;
    int64_t used; /* elements */
};

static inline tensor *slice_at(const struct caller *c, const void *data, int64_t count)
{
    int64_t begin = (const float *)data - (const float *)tensor_data(c->memory);
    return tensor_slice(c->memory, begin, begin + count);
}

static inline void swap_by_calls(struct communicator *comm, int to, const void *out, int64_t out_count,
                                 int from, void *in, int64_t in_count)
{
    struct caller *c = (struct caller *)comm;
    tensor *leaves = out_count > 0 ? slice_at(c, out, out_count) : NULL;
    tensor *comes = in_count > 0 ? slice_at(c, in, in_count) : NULL;
    dist_work *works[2];
    int count = 0;
    if (comes)
        works[count++] = dist_irecv(comes, c->ranks[from]);
    if (leaves)
        works[count++] = dist_isend(leaves, c->ranks[to]);
    dist_wait_all(works, count);
    tensor_free(leaves);
    tensor_free(comes);
}

static inline void *scratch_in_tensor(struct communicator *comm, int64_t count)
{
    struct caller *c = (struct caller *)comm;
    int64_t begin = c->used;
    if (begin + count > tensor_numel(c->memory))
        return NULL;
    c->used += count;
    return (float *)tensor_data(c->memory) + begin;
}

/* Ranks first, first + stride, ... of the world; this is the one in that place. */
static inline struct caller caller_for(tensor *memory, int64_t used, int place, int size, int first,
                                       int stride)
{
    struct caller c = {
        .comm = { .rank = place, .size = size, .swap = swap_by_calls, .scratch = scratch_in_tensor },
        .memory = memory,
        .used = used
    };
    for (int i = 0; i < size; i++)
        c.ranks[i] = first + i * stride;
    return c;
}

/* The first `count` elements of the memory become the sum over ranks 0 to size - 1, in this order (NULL: their own). "levels": in two, with
 * hosts of so many. 0: done. */
static inline int sum_over(const char *way, tensor *memory, int64_t count, int rank, int size, int per_host,
                           const int *order)
{
    void *x = tensor_data(memory);
    if (strcmp(way, "levels") != 0) {
        struct caller all = caller_for(memory, count, rank, size, 0, 1);
        for (int i = 0; order && i < size; i++) {
            all.ranks[i] = order[i];
            all.comm.rank = order[i] == rank ? i : all.comm.rank;
        }
        algorithm_named(way)(&all.comm, x, count);
        return all.comm.status;
    }
    int place = rank % per_host, host = rank / per_host;
    int64_t half = (tensor_numel(memory) - count) / 2;
    struct caller inside = caller_for(memory, count, place, per_host, host * per_host, 1);
    struct caller rail = caller_for(memory, count + half, host, size / per_host, place, per_host);
    algorithm_two_levels(&inside.comm, &rail.comm, algorithm_named("halving"), x, count);
    return inside.comm.status;
}

#endif
