/*
 * script.h: what a rank would send and receive, written down by the algorithm itself.
 *
 *     ring_all_reduce(comm, ...) ---> comm.swap(to, out, from, in) ---> script: [to 5, 1 | from 3, 1] x 30
 *
 * The algorithms are those of lib/algorithms, which the library runs, too. They ask nothing but their rank and the size: so what
 * they will do can be known before anybody does it. A swap that is the same as the last one only counts it.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "algorithms/algorithms.h"

#include <stdlib.h>
#include <string.h>

struct swap {
    int to, from;    /* -1: nobody */
    int64_t out, in; /* elements */
    int64_t times;
};

struct script {
    struct swap *swaps;
    int count, room;
};

enum { MOST_ROOMS = 8, MOST_LEVELS = 2 };

struct writer {
    struct communicator comm; /* first, so that a pointer to it is one to the whole */
    struct script *script;
    int first, stride; /* rank i of this communicator is rank first + i * stride of all */
    void *rooms[MOST_ROOMS];
    int used;
};

static inline void no_memory(void)
{
    fprintf(stderr, "no memory left to simulate so many ranks\n");
    exit(2);
}

static inline int rank_in_all(const struct writer *w, int rank)
{
    return rank < 0 ? -1 : w->first + rank * w->stride;
}

static inline void write_swap(struct communicator *comm, int to, const void *out, int64_t out_count, int from,
                              void *in, int64_t in_count)
{
    struct writer *w = (struct writer *)comm;
    struct script *s = w->script;
    (void)out, (void)in;
    struct swap swap = { rank_in_all(w, out_count < 0 ? -1 : to), rank_in_all(w, in_count < 0 ? -1 : from),
                         out_count, in_count, 1 };
    struct swap *last = s->count > 0 ? &s->swaps[s->count - 1] : NULL;
    if (last && last->to == swap.to && last->from == swap.from && last->out == swap.out &&
        last->in == swap.in) {
        last->times++;
        return;
    }
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 4;
        s->swaps = realloc(s->swaps, (size_t)s->room * sizeof *s->swaps);
        if (!s->swaps)
            no_memory();
    }
    s->swaps[s->count++] = swap;
}

static inline void *give_scratch(struct communicator *comm, int64_t count)
{
    struct writer *w = (struct writer *)comm;
    return w->used < MOST_ROOMS ? w->rooms[w->used++] = calloc((size_t)count + 1, 1) : NULL;
}

static inline struct writer writer_for(struct script *script, int rank, int size, int first, int stride)
{
    return (struct writer){
        .comm = { .rank = rank, .size = size, .type = DIST_U8, .swap = write_swap, .scratch = give_scratch },
        .script = script,
        .first = first,
        .stride = stride
    };
}

static inline void writer_done(struct writer *w)
{
    if (w->comm.status != DIST_OK)
        no_memory();
    while (w->used > 0)
        free(w->rooms[--w->used]);
}

/* What rank `rank` of `size` does in the algorithm of that name on `count` elements. "levels": in two levels, with nodes of so many. */
static inline struct script script_of(const char *name, int rank, int size, int per_node, void *x,
                                      int64_t count)
{
    struct script script = { NULL, 0, 0 };
    if (strcmp(name, "levels") != 0) {
        struct writer w = writer_for(&script, rank, size, 0, 1);
        algorithm_named(name)(&w.comm, x, count);
        writer_done(&w);
        return script;
    }
    int place = rank % per_node, node = rank / per_node;
    struct writer inside = writer_for(&script, place, per_node, node * per_node, 1);
    struct writer rail = writer_for(&script, node, size / per_node, place, per_node);
    algorithm_two_levels(&inside.comm, &rail.comm, algorithm_named("halving"), x, count);
    writer_done(&rail);
    writer_done(&inside);
    return script;
}

#endif
