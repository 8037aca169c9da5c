/*
 * desk.h: where the ranks of one machine agree on what they do together, in the world's memory.
 *
 *   shown   -->   agreed   -->   taken
 *
 * A rank SHOWS an op: it lays down a slip that says what it wants. A message is AGREED on when its send and its receive are
 * both there, a collective when the slips of all members are. Whoever lays down the last one sees it, compares them
 * all, and puts each rank's slip behind those that this rank has agreed on before. Each rank TAKES its own
 * from there, and gives them to NCCL in that order.
 *
 * Why this never stands still, though NCCL does one thing after the other. All is done under one lock, so there is ONE ORDER
 * IN WHICH OPS ARE AGREED ON, and each rank has its own part of it, in that order. Think of the first op in it that
 * is not over. With all who take part in it, it is next in the stream: what stands before it was agreed on
 * earlier, and is over. What it follows of its program's work (op->ready) was sure to pass when it was shown (device.h), so
 * that work can wait for such ops only as had been given to NCCL by then: they are earlier too. So nothing
 * keeps this op from going on, and after it the next, up to the last. (Copies that aside.c puts into the stream follow such
 * work only, and wait for no other rank.)
 *
 * Several messages may be given as one ncclGroup (launch.c). In it NCCL promises that all go on independently, but for those
 * between the same two ranks in one direction. So a group never holds two of these, and none of it waits for
 * another: it is as if each were first in the stream, and the argument holds. Two communicators would work one after the
 * other, in an order that NCCL chooses: so all messages go over the world's, whatever their group is. And while
 * connections are still to be made (DIST_CONNECT=lazy) a message goes alone, since making them holds up all others.
 *
 * Nothing here is a pointer that others follow: slips have numbers, from 1 on; 0 is none.
 */
#ifndef NCCL_DESK_H
#define NCCL_DESK_H

#include "cards.h"

struct pile { /* of slips, by `next` */
    uint32_t first, last;
};

struct slip {
    struct card card;
    uint64_t op;      /* its rank's pointer: only that rank follows it */
    uint64_t in, out; /* tensors of the host: where, as offsets in the world (host.c) */
    int32_t rank;     /* whose it is, */
    int32_t peer;     /* and with whom: of a message; once it is agreed on, a receive knows who sends */
    int16_t place;    /* collectives: in the group, */
    int16_t size;     /* of so many */
    uint32_t seq;     /* which collective of the group */
    uint32_t site;
    uint32_t next;
    uint32_t mate;         /* of a message: the other half; of a collective: the next that has come, */
    uint32_t head;         /* and the first, */
    uint32_t computed;     /* which counts who is through with its part (host.c) */
    uint32_t first, stray; /* these two do not mean the same; 0: all do */
    bool left;             /* its rank has given it up; it still counts as one that came */
    bool second;           /* agreed on for the second time (host.c) */
};

/* What lies before each rank. */
struct tray {
    _Atomic uint32_t agreed_count; /* so that a look costs no lock */
    uint32_t used;                 /* slips that were ever used */
    struct pile free;
    struct pile letters; /* messages to it that no receive has asked for: the senders' slips */
    struct pile recvs;   /* its receives that no message has come for */
    struct pile agreed;
};

struct desk {
    alignas(WORLD_LINE) _Atomic uint32_t laid; /* by rank 0; all below may be used */
    ncclUniqueId id;                           /* the way to NCCL's rank 0 */
    pthread_mutex_t lock;                      /* robust: a rank may die with it */
    int size;
    uint32_t slips;       /* how many each rank has */
    struct pile meetings; /* collectives that not all have come to: the slip of who came first */
    struct tray trays[];  /* then all slips */
};

static inline struct slip *slip_at(struct desk *desk, uint32_t number)
{
    return (struct slip *)(desk->trays + desk->size) + (number - 1);
}
static inline struct dist_work *op_of(const struct slip *slip)
{
    return (struct dist_work *)(uintptr_t)slip->op;
}

/* ---- desk.c ---------------------------------------------------------------------------- */

void desk_lock(struct desk *desk);
void desk_unlock(struct desk *desk);

/* With the lock held. slip_new: 0 where this rank has no more. */
uint32_t slip_new(struct desk *desk, int rank);
void slip_free(struct desk *desk, uint32_t number);
void pile_add(struct desk *desk, struct pile *pile, uint32_t number);
bool pile_remove(struct desk *desk, struct pile *pile, uint32_t number);

/* ---- match.c --------------------------------------------------------------------------- */

/* Lay down a slip for this op. False: this rank has none left, and must wait for some op to be agreed on. */
bool desk_show(struct nccl_room *room, struct dist_work *op);

/* It is agreed on: its rank may take it. With the lock held. */
void desk_agree(struct nccl_room *room, uint32_t number);

/* Take the next that was agreed on: `slip` becomes a copy. Tensors of the host keep theirs until slip_free. 0: there is none. */
uint32_t desk_take(struct nccl_room *room, struct slip *slip);

/* ---- leave.c --------------------------------------------------------------------------- */

/* Give up this op, or all (NULL) of this rank that are not agreed on. */
void desk_withdraw(struct nccl_room *room, const struct dist_work *op);

/* ---- aside.c --------------------------------------------------------------------------- */

enum { STEP_ASIDE = 1 }; /* op->step of a copy */

bool aside_wanted(const struct nccl_room *room, const struct dist_work *op);

/* A copy of the send, which takes its place. NULL: there is no memory. */
struct dist_work *aside_new(struct nccl_room *room, struct dist_work *send);
void aside_forget(struct nccl_room *room, struct dist_work *op); /* if it is one */

/* ---- host.c ---------------------------------------------------------------------------- */

/* Do what was agreed on for a tensor of the host. True: the op is over. */
bool host_go(struct nccl_room *room, struct dist_work *op, const struct slip *slip, uint32_t number);

#endif
