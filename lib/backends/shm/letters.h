/* letters.h: what the parts of point to point know of each other. */
#ifndef SHM_LETTERS_H
#define SHM_LETTERS_H

#include "shm.h"

/* A long copy of which its sender may take a part: share.c. */
struct offer {
    alignas(WORLD_LINE) _Atomic uint64_t next; /* the letter, and the next chunk of it */
    _Atomic uint64_t to;                       /* the receiver's tensor, as an offset in the world */
    _Atomic uint64_t done;                     /* bytes */
};

/* One of the ranks, as another one sees it. A peer to which something is to be sent, or from which something is to be received,
 * is busy. */
struct peer {
    struct queue sends; /* the first has the lane, or is the next to get it */
    size_t receives;    /* posted ones that name it */
    size_t parked;      /* letters of its, without a receive */
    bool busy;
    struct peer *next; /* busy one */
};

/* ---- sends.c, recvs.c, letters.c: point to point ----------------------------- */

int shm_send(void *room, struct dist_work *op);
int shm_recv(void *room, struct dist_work *op);
enum quick shm_quick_send(void *room, const tensor *t, int peer, int tag, uint32_t site); /* quick.c */
enum quick shm_quick_recv(void *room, tensor *t, int peer, int tag, uint32_t site);
enum quick shm_quick_sum(void *room, tensor *t, enum dist_op op, uint32_t site); /* quick_meet.c */
enum quick shm_quick_barrier(void *room, uint32_t site);
void sends_spare(struct shm_room *room);                      /* take a ticket for the next quick message */
bool sends_push(struct shm_room *room, int peer);             /* the queue of a peer; true: something moved */
bool sends_look(struct shm_room *room, struct dist_work *op); /* is a send whose letter is parked over? */
bool sends_sweep(struct shm_room *room);                      /* end some that nobody waits for */
void sends_drop(struct shm_room *room, struct dist_work *op);
bool recvs_drain(struct shm_room *room,
                 int src);                      /* take the next letter that src has sent, if one is wanted */
bool recvs_from_anybody(struct shm_room *room); /* all that lie in lanes, if receives from anybody wait */
bool recvs_copy(struct shm_room *room);         /* make a long copy */
void recvs_drop(struct shm_room *room, struct dist_work *op);
bool letters_progress(struct shm_room *room,
                      bool light); /* with all busy peers; light: make no long copies */
void letters_busy(struct shm_room *room, int peer);
void letters_drop(struct shm_room *room, struct dist_work *op);     /* take it out of all lists */
bool letters_hopeless(struct shm_room *room, struct dist_work *op); /* its peer has left: it is dropped */
bool letters_forget(struct shm_room *room,
                    struct dist_work *op); /* free it, if it is an eager copy; it is in no list */

static inline size_t bytes_of(const struct dist_work *op, struct span span)
{
    return (size_t)span.count * dtype_size(op->type);
}

/* ---- share.c: both ends of a long message copy ------------------------------ */

struct letter;
bool share_copy(struct shm_room *room, struct dist_work *op, int src,
                const struct letter *letter);                 /* false: the job has failed */
void share_help(struct shm_room *room, struct dist_work *op); /* the receiver has said SHARED */

#endif
