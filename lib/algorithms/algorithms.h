/*
 * algorithms.h: collectives made of sends and receives, and of nothing else.
 *
 *   gather.c tree.c ring.c halving.c   four ways to all-reduce, one per file, each with its cost on top
 *   levels.c                           a fifth, of two communicators
 *   pairs.c star.c barrier.c           the other collectives
 *   ring.h                             who is next, which block is whose
 *   communicator.c                     what the algorithms share
 *   wrap.c                             a backend around a backend, which does by messages what the inner one cannot
 *
 * Costs are told in alpha, the seconds that every message takes, and beta, the seconds that every element adds. p is the
 * number of ranks, n the number of elements. What the adding costs is left out.
 */
#ifndef ALGORITHMS_H
#define ALGORITHMS_H

#include "ring.h"
#include "../dist.h"

/* One rank's part in one collective. The algorithms see no more than this of the library: so the same code runs with the
 * calls of dist.h (dist_algorithms.c) and inside the library, on what a backend offers (run.c). */
struct communicator {
    int rank, size;
    enum dist_type type;
    enum dist_op op;
    int status; /* enum dist_error. Once something went wrong, all that is asked for afterwards is left undone */

    /* Send and receive at the same time, and return when both are done. A count of -1 leaves that half out.
     * Counts are elements; `out` may be memory of the collective's tensors or of comm_scratch, `in` too. */
    void (*swap)(struct communicator *comm, int to, const void *out, int64_t out_count, int from, void *in,
                 int64_t in_count);

    /* Memory for `count` elements, which whoever made the communicator frees after the collective. NULL: none. */
    void *(*scratch)(struct communicator *comm, int64_t count);
};

/* ---- what algorithms are made of: communicator.c -------------------------------------------------- */

void comm_send(struct communicator *comm, int to, const void *data, int64_t count);
void comm_recv(struct communicator *comm, int from, void *data, int64_t count);
void comm_swap(struct communicator *comm, int to, const void *out, int64_t out_count, int from, void *in,
               int64_t in_count);

/* Where element i of an array lies. */
void *comm_at(const struct communicator *comm, const void *data, int64_t i);

/* into[i] = into[i] op from[i]; AVG only adds. 16-bit floats would be rounded each time, and sums of U8 wrap: comm_all_reduce. */
void comm_combine(struct communicator *comm, void *into, const void *from, int64_t count);

/* `all` is everybody's array, one behind the other: combined in the order of the ranks, AVG and all. */
void comm_combine_in_order(struct communicator *comm, void *out, const void *all, int64_t count);

/* The last step of AVG: divide the sums by the number of ranks. For all other reductions nothing. */
void comm_average(struct communicator *comm, void *data, int64_t count);

void comm_copy(struct communicator *comm, void *to, const void *from, int64_t count);

/* Memory for `count` elements, until the collective is over. NULL: comm->status is DIST_ERR_MEMORY. */
void *comm_scratch(struct communicator *comm, int64_t count);

/* ---- all-reduce, four times: x, `count` elements, becomes the reduction of everybody's x ------ */

void gather_all_reduce(struct communicator *comm, void *x, int64_t count);
void tree_all_reduce(struct communicator *comm, void *x, int64_t count);
void ring_all_reduce(struct communicator *comm, void *x, int64_t count);
void halving_all_reduce(struct communicator *comm, void *x, int64_t count);

typedef void all_reduce_algorithm(struct communicator *comm, void *x, int64_t count);

/* By this algorithm, in the type that dtype_wide gives: so every algorithm's sums are rounded once. */
void comm_all_reduce(struct communicator *comm, all_reduce_algorithm *algorithm, void *x, int64_t count);

/* The algorithm of that name: "gather", "tree", "ring" or "halving". NULL: there is none. */
all_reduce_algorithm *algorithm_named(const char *name);

/* In two levels: `node`, the ranks of a node, and `rail`, those of this rank's place in all nodes. Sums only (no AVG, which would divide
 * twice); count must be a multiple of node->size. */
void algorithm_two_levels(struct communicator *node, struct communicator *rail, all_reduce_algorithm *between,
                          void *x, int64_t count);

/* An all-reduce over the world, done by the algorithm of that name with dist_isend, dist_irecv and dist_wait, and with
 * nothing else: as a program would that had no dist_all_reduce. Every rank calls it. 0, or minus an error. */
#define algorithm_all_reduce(name, x, op) algorithm_all_reduce_at(DIST_AT, name, x, op)
int algorithm_all_reduce_at(struct dist_at at, const char *name, tensor *x, enum dist_op op);

/* ---- the other collectives. root is a rank of the communicator; a block is what each rank has -------- */

void tree_broadcast(struct communicator *comm, void *x, int64_t count, int root);
void gather_reduce(struct communicator *comm, void *x, int64_t count,
                   int root); /* in the order of the ranks */
void star_scatter(struct communicator *comm, void *out, const void *in, int64_t block, int root);
void star_gather(struct communicator *comm, void *out, const void *in, int64_t block, int root);
void ring_all_gather(struct communicator *comm, void *out, const void *in, int64_t block);
void pairs_reduce_scatter(struct communicator *comm, void *out, const void *in, int64_t block);
/* Or with counts: splits[i] elements of `in` go to rank i, and splits[p + i] of `out` come from it. 0: there is no message. */
void pairs_all_to_all(struct communicator *comm, void *out, const void *in, int64_t block,
                      const int64_t *splits);
void barrier_spread(struct communicator *comm);

#endif
