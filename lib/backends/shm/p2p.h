/* p2p.h: what the parts of point to point know of each other. */
#ifndef SHM_P2P_H
#define SHM_P2P_H

#include "envelope.h"
#include "engine.h"

#define RING_CELLS 64
#define STAGE_BYTES 2048

/* The two ends of a channel: channel.h. What src writes, and dst reads. */
struct slot {
    alignas(WORLD_LINE / 2) _Atomic uint32_t seq; /* the number of src's message here; and SEQ_ bits */
    _Atomic uint32_t
        ack; /* for dst's messages to src: verdict on the last one in that slot, how many src has taken, which one it waits for */
    uint32_t envelope[6];
};
_Static_assert(2 * sizeof(struct slot) == WORLD_LINE, "a slot and its way back are one cache line");

struct cell {
    alignas(WORLD_LINE) _Atomic uint64_t seq; /* the number of the message here */
    uint64_t arrival;                         /* and the one that it has drawn */
    struct envelope envelope;
    uint32_t verdict; /* enum verdict; where it is not DONE, written by dst */
};
_Static_assert(sizeof(struct cell) == WORLD_LINE, "a cell is one cache line");

/* A message that came before its receive: the receiver's private copy. */
struct unexpected {
    struct match match; /* first */
    int src;
    uint64_t arrival;
    struct envelope envelope;
    struct unexpected *next; /* one that is not in use */
};

/* An eager message on its way; its op is nobody's but the backend's. */
struct eager {
    struct dist_work op; /* first; op.aside: where the data are, */
    unsigned char data[CELL_INLINE];
    void *page; /* here, in a page of the arena that it keeps, or in memory of its own */
    struct eager *next;
};

/* A long copy of which its sender may take a part: share.c. */
struct offer {
    alignas(WORLD_LINE) _Atomic uint64_t next; /* the message, and the next chunk of it */
    _Atomic uint64_t to;                       /* the receiver's tensor, as an offset in the world */
    _Atomic uint64_t done;                     /* bytes */
};

/* One of the ranks, as another one sees it. A peer to which something is to be sent, or from which something is to be received,
 * is busy. */
struct peer {
    struct slot *out, *in; /* to it, and from it */
    struct cell *out_ring, *in_ring;
    char *stage;             /* for data on their way to it (wanted.h): STAGE_BYTES; */
    uint64_t staged;         /* whose, while that message's send is open */
    uint64_t sent, known;    /* messages posted; known to be taken */
    uint64_t slotted;        /* the last that went into the slot */
    uint64_t taken, acked;   /* messages of its; those acknowledged */
    uint32_t verdict;        /* on the last that came in the slot */
    unsigned unlooked;       /* receives posted since somebody looked for their messages */
    bool stuck;              /* an eager send has waited for a place in vain, and none was freed since */
    struct op_queue posted;  /* sends whose messages are in the channel, by number (op->match.key); */
    struct op_queue waiting; /* those that wait for a place */
    size_t receives;         /* posted ones that name it */
    size_t unexpected;       /* messages of its, without a receive */
    bool busy;
    struct peer *next; /* busy one */
};

/* ---- sends.c, recvs.c, p2p.c: point to point ---------------------------------- */

enum { SEND_WAITING, SEND_POSTED, SEND_BY_TICKET }; /* a send's way, in op->step */

int shm_send(void *shm, struct dist_work *op);
int shm_recv(void *shm, struct dist_work *op);
enum quick shm_quick_send(void *shm, const tensor *t, int peer, int tag, const struct dist_group *group,
                          uint32_t site); /* quick.c */
enum quick shm_quick_recv(void *shm, tensor *t, int peer, int tag, const struct dist_group *group,
                          uint32_t site);
enum quick shm_quick_sum(void *shm, tensor *t, enum dist_op op, uint32_t site); /* quick_meet.c */
enum quick shm_quick_barrier(void *shm, uint32_t site);
bool sends_push(struct shm_state *shm, int peer); /* the queues of a peer; true: something moved */
bool sends_look(struct shm_state *shm,
                struct dist_work *op);               /* is a send over whose end comes by its ticket? */
bool sends_sweep(struct shm_state *shm, bool light); /* end some that nobody waits for */
void sends_drop(struct shm_state *shm, struct dist_work *op);
bool sends_read_acks(struct shm_state *shm, struct peer *peer);  /* read ack; true: some were taken */
void sends_line_up(struct shm_state *shm, struct dist_work *op); /* after this an eager copy may be gone */
int eager_send(struct shm_state *shm, struct dist_work *op);
bool eager_forget(struct shm_state *shm,
                  struct dist_work *op);          /* put it away, if it is an eager copy; it is in no list */
void eager_close(struct shm_state *shm);          /* free what was put away */
bool recvs_drain(struct shm_state *shm, int src); /* take the messages of src, while some are wanted */
bool recvs_from_anybody(struct shm_state *shm);   /* take all messages, if receives from anybody wait */
bool recvs_copy(struct shm_state *shm);           /* make a long copy */
void recvs_drop(struct shm_state *shm, struct dist_work *op);
struct unexpected *unexpected_new(struct shm_state *shm, int src,
                                  const struct envelope *envelope); /* NULL: there is no memory left */
void unexpected_free(struct shm_state *shm, struct unexpected *copy);
struct unexpected *unexpected_for(const struct shm_state *shm,
                                  const struct dist_work *op); /* the first that fits; or NULL */
bool unexpected_keep(struct shm_state *shm, int src, const struct envelope *envelope);
struct unexpected *unexpected_take(struct shm_state *shm, struct unexpected *copy); /* out of the table */
void unexpected_close(struct shm_state *shm);
bool p2p_progress(struct shm_state *shm, bool light); /* with all busy peers; light: make no long copies */
void p2p_make_busy(struct shm_state *shm, struct peer *peer);
static inline void p2p_busy(struct shm_state *shm, struct peer *peer)
{
    if (!peer->busy)
        p2p_make_busy(shm, peer);
}
void p2p_notify(struct shm_state *shm, int peer);               /* notify the progress thread of that rank */
void p2p_drop(struct shm_state *shm, struct dist_work *op);     /* take it out of all lists */
bool p2p_hopeless(struct shm_state *shm, struct dist_work *op); /* its peer has left: it is dropped */

/* refusals.c: a message of src does not fit this receive: both are told why; and the words for a send whose message did not. */
void refusals_tell(struct shm_state *shm, struct dist_work *op, int src, const struct envelope *envelope);
void refusals_read(const struct shm_state *shm, struct dist_work *op);

/* ---- share.c: both ends of a long message copy ------------------------------ */

bool share_copy(struct shm_state *shm, struct dist_work *op, int src,
                const struct envelope *envelope);             /* false: the job has failed */
void share_help(struct shm_state *shm, struct dist_work *op); /* the receiver has said SHARED */

#endif
