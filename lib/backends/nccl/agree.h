/*
 * agree.h: where the ranks of one machine agree on what they do together, in the world's memory.
 *
 *   shown   -->   agreed   -->   taken
 *
 * A rank SHOWS an op in the match table (match_table.h). A message is AGREED on when its send and its receive are both
 * there, a collective when the entries of all members are. Whoever comes last sees it, and puts each rank's entry behind those
 * that this rank has agreed on before. Each rank TAKES its own from there, and gives them to NCCL in that order.
 *
 * Why this never stands still, though NCCL does one thing after the other. All is done under one lock, so there is ONE ORDER
 * IN WHICH OPS ARE AGREED ON, and each rank has its own part of it, in that order. Think of the first op in it that
 * is not over. With all who take part in it, it is next in the stream: what stands before it was agreed on
 * earlier, and is over. What it follows of its program's work (op->ready) was sure to pass when it was shown (device.h), so
 * that work can wait for such ops only as had been given to NCCL by then: they are earlier too. So nothing
 * keeps this op from going on, and after it the next, up to the last. (Copies that eager.c puts into the stream follow such
 * work only, and wait for no other rank.)
 *
 * Several messages may be given as one ncclGroup (launch.c). In it NCCL promises that all go on independently, but for those
 * between the same two ranks in one direction. So a group never holds two of these, and none of it waits for
 * another: it is as if each were first in the stream, and the argument holds. Two communicators would work one after the
 * other, in an order that NCCL chooses: so all messages go over the world's, whatever their group is. And while
 * connections are still to be made (DIST_CONNECT=lazy) a message goes alone, since making them holds up all others.
 */
#ifndef NCCL_AGREE_H
#define NCCL_AGREE_H

#include "match_table.h"
#include "state.h"

struct nccl_shared {
    alignas(WORLD_LINE) _Atomic uint32_t ready; /* by rank 0; all below may be used */
    ncclUniqueId id;                            /* the way to NCCL's rank 0 */
    pthread_mutex_t lock;                       /* robust: a rank may die with it */
};
/* The match table stands behind it (nccl->table). */

/* ---- agree.c --------------------------------------------------------------------------- */

void nccl_agree_lock(struct nccl_shared *shared);
void nccl_agree_unlock(struct nccl_shared *shared);

/* Show this op, and give it up again, or all (NULL) of this rank that are not agreed on. False: it has no entry left, and must wait for
 * some op to be agreed on. */
void nccl_agree_withdraw(struct nccl_state *nccl, const struct dist_work *op);
bool nccl_agree_show(struct nccl_state *nccl, struct dist_work *op);

/* It is agreed on: its rank may take it. With the lock held. */
void nccl_agree_on(struct nccl_state *nccl, uint32_t number);

/* Take the next that was agreed on: `entry` becomes a copy. Tensors of the host keep theirs until table_free. 0: there is none. */
uint32_t nccl_agree_take(struct nccl_state *nccl, struct table_entry *entry);

/* ---- eager.c --------------------------------------------------------------------------- */

enum { STEP_EAGER_COPY = 1 }; /* op->step of a copy */

bool nccl_eager_wanted(const struct nccl_state *nccl, const struct dist_work *op);

/* A copy of the send, which takes its place. NULL: there is no memory. */
struct dist_work *nccl_eager_copy(struct nccl_state *nccl, struct dist_work *send);
void nccl_eager_free(struct nccl_state *nccl, struct dist_work *op); /* if it is one */

/* ---- host.c ---------------------------------------------------------------------------- */

/* Do what was agreed on for a tensor of the host. True: the op is over. */
bool nccl_host_run(struct nccl_state *nccl, struct dist_work *op, const struct table_entry *entry,
                   uint32_t number);

#endif
