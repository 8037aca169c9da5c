/*
 * agree.h: where the ranks of one machine agree on what they do together, in the world's memory.
 *
 *   shown   -->   agreed   -->   taken
 *
 * A rank SHOWS an op in the match table (match_table.c): an entry says what it claims. A send looks among the posted receives of its
 * destination, a receive among the unexpected messages that have come for it, each in the order in which they were shown; whoever
 * finds nothing joins its queue. So messages with one tag never pass each other, and those with different tags may. A rank's k-th
 * collective of a group meets the others' k-th; the last to come compares them all. A message is AGREED on when its send and its
 * receive are both there, a collective when the entries of all members are. Whoever comes last sees it, and puts each rank's entry
 * behind those that this rank has agreed on before. Each rank TAKES its own from there, and gives them to NCCL in that order.
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
 *
 * Nothing in the table is a pointer that others follow: entries have numbers, from 1 on; 0 is none. One lock guards all of it.
 */
#ifndef NCCL_AGREE_H
#define NCCL_AGREE_H

#include "state.h"
#include "../common/claim.h"
#include "../common/members.h"
#include "../common/splits.h"

struct table_list { /* of entries, by `next` */
    uint32_t first, last;
};

struct table_entry {
    struct claim claim;
    uint64_t op;  /* its rank's pointer: only that rank follows it */
    int32_t rank; /* whose it is, */
    int32_t peer; /* and with whom: of a message; once it has met its other half, a receive knows who sends */
    int16_t place; /* collectives: in the group, */
    int16_t size;  /* of so many; */
    int32_t group; /* which group of the job, */
    uint32_t seq;  /* and which collective of it */
    uint32_t site;
    uint32_t next;
    uint32_t mate;             /* of a message: the other half; of a collective: the next that has come, */
    uint32_t head;             /* and the first */
    uint32_t first, differing; /* these two do not claim the same; 0: all do */
    bool open;                 /* it has met nobody yet, or not all */
    bool left;                 /* its rank has given it up; it still counts as one that came, */
    bool late;                 /* and this one does not: it came after that */

    /* host.c's */
    bool second;
    uint32_t computed;
    uint64_t in, out;   /* tensors of the host, as offsets in the world; */
    uint64_t splits;    /* and dist_work.splits; */
    struct clash clash; /* what of them does not agree: sent != expected */
};

struct table_rank {
    _Atomic uint32_t agreed_count; /* so that a look costs no lock */
    uint32_t used;                 /* entries that were ever used */
    struct table_list free;
    struct table_list unexpected; /* messages to it that no receive has asked for: the senders' entries */
    struct table_list posted;     /* its receives that no message has come for */
    struct table_list agreed;     /* what has met, and is to be taken by its rank */
};

struct nccl_shared {
    alignas(WORLD_LINE) _Atomic uint32_t ready; /* by rank 0; all below may be used */
    ncclUniqueId id;                            /* the way to NCCL's rank 0 */
    pthread_mutex_t lock;                       /* robust: a rank may die with it */
    int size;
    uint32_t most;              /* entries that a rank can have */
    struct table_list meetings; /* collectives that not all have come to: the entry of who came first */
    alignas(struct table_entry) struct table_rank ranks[]; /* then all entries */
};

/* ---- match_table.c: with the lock held --------------------------------------------------------- */

static inline struct table_entry *table_at(struct nccl_shared *table, uint32_t number)
{
    return (struct table_entry *)(table->ranks + table->size) + (number - 1);
}
static inline struct dist_work *table_op(const struct table_entry *entry)
{
    return (struct dist_work *)(uintptr_t)entry->op;
}
static inline uint32_t table_first_of(const struct nccl_shared *table, int rank)
{
    return (uint32_t)rank * table->most + 1;
}

void table_add(struct nccl_shared *table, struct table_list *list, uint32_t number);
void table_remove(struct nccl_shared *table, struct table_list *list, uint32_t number);
void table_free(struct nccl_shared *table, uint32_t number);

/* Show an op; of a collective `seq` is its number in the group. Gives its entry; 0: this rank has none left. */
uint32_t table_show(struct nccl_shared *table, int rank, const struct dist_work *op, uint32_t seq);

/* Whom does it meet? Of a message: the other half; both are out of their queues. Of a collective: the entry that came first, once
 * all have come. 0: it has to wait. */
uint32_t table_meet(struct nccl_shared *table, uint32_t number);

/* Give up this op, or all (NULL) of a rank that have not met. */
void table_withdraw(struct nccl_shared *table, int rank, const struct dist_work *op);

/* Has the group's member at this place come to the collective, before anybody had given it up? And who has not? */
bool table_has_come(struct nccl_shared *table, const struct dist_work *op, int place);
void table_absent(struct nccl_shared *table, const struct dist_work *op, struct absent *absent);

/* For the watcher: the messages that have come to this rank and that no receive has asked for. */
void table_note(struct nccl_shared *table, int rank, struct rank_notes *notes);

/* ---- agree.c --------------------------------------------------------------------------- */

void nccl_agree_lock(struct nccl_shared *shared);

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
void nccl_eager_free(struct nccl_state *nccl, struct dist_work *copy);

/* ---- host.c ---------------------------------------------------------------------------- */

/* Do what was agreed on for a tensor of the host. True: the op is over. */
bool nccl_host_run(struct nccl_state *nccl, struct dist_work *op, const struct table_entry *entry,
                   uint32_t number);

#endif
