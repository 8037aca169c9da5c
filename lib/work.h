/* work.h: one call on its way through the library: `op` here and in backends, a "work" in the program's hands. (`op->op` is its reduction.) */
#ifndef WORK_H
#define WORK_H

#include "call.h"
#include "dist_base.h"
#include "handles.h"
#include "why.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dist_group;

/* A piece of tensor memory. data may be NULL where count is 0 or the caller has no such tensor. */
struct span {
    void *data;
    int64_t count; /* elements */
};

/* A receive that waits for a message, or a message that waits for a receive, in a table of such. */
struct match {
    struct match *next, *before; /* as they came, */
    struct match *chain;         /* and those that share a bucket */
    uint64_t key, number;
};

/* One call, from start to wait. A blocking call keeps it on the stack; dist_work is the same thing from a pool. What every message
 * needs comes first, in four cache lines: a window of works is more than the nearest cache holds. */
struct dist_work {
    /* what is asked; written by dist_*.c before the backend sees it, and never changed after */
    struct dist_at at;
    enum call call;
    uint32_t site; /* `at` as a number that peers can read */
    struct dist_group *group;
    struct span in;  /* what is read: the tensor of a send, the input of a collective */
    struct span out; /* what is written; broadcast, reduce and all_reduce: the same as in */
    int64_t block;   /* collectives: elements of one member's block, the count that all must agree on */
    int64_t *splits; /* BLOCK_SPLITS: elements to each member, then from each, in world memory; NULL: even */
    double timeout;  /* monitored_barrier: seconds */
    struct gpu *gpu; /* where its tensors lie; NULL: on the host */
    enum dist_type type;
    enum dist_op op;
    int peer; /* p2p: a world rank or DIST_ANY_SOURCE; rooted collectives: a group rank */
    int tag;
    bool p2p;           /* a send or a receive, */
    bool sends;         /* and which of the two */
    bool async;         /* the caller does not want to wait inside this call */
    bool begun_quickly; /* the backend's quick way has begun it, and not ended (enum quick) */
    bool polled;        /* dist_is_completed has said no: the program asks again, no thread of ours sleeps */

    /* what came out; written by the backend before it says done */
    int status;  /* enum dist_error */
    int from;    /* receives: the world rank that sent; else -1 */
    int speaker; /* with a status that several ranks get: 1 + the world rank that should tell; 0: this one */

    /* the backend's own. shm: `step` is SEND_ or the plan's step, `phase` counts tests in vain, `ticket` is
     * tickets.h's, of a collective its number in the group. transport: STEP_, the number in the group, the tag of an offer or the piece of a
     * collective */
    _Atomic uint32_t done;
    int step;
    uint32_t phase, ticket;
    bool claimed;
    _Atomic bool among;     /* dist_wait_any waits for this one, or others: the backend's notes say so */
    union {                 /* what a backend holds for it: */
        void *aside;        /* an eager message's copy; */
        void *result;       /* nccl, host tensors: a collective's, until all have read their inputs; */
        struct event *mark; /* nccl: once the stream has passed it the op is over; */
        struct run *run;    /* algorithms: the collective by messages; */
        struct ring *ring;  /* mpi, gloo: how far a long sum is between machines */
    };
    struct dist_work *next, *before;
    struct match
        match; /* of a send in shm: `key`, its number in the channel; `number`, that among all messages to its receiver */

    /* the notes of others */
    uint32_t traced;         /* lib/trace: the event that its start was */
    uint32_t logged;         /* diagnose/log.h: its place in the list of calls */
    struct guarded *guarded; /* diagnose/guard.h: of its tensors */
    struct pending *pending; /* streams/order.h: no stream has waited for it yet */

    uint32_t live; /* WORK_LIVE from start to wait; this and the next ones are the pool's */
    bool refused;  /* the backend did not take it, in the middle of a batch: dist_wait tells its status */
    struct dist_work *made; /* call_note.made: the one before it */
    struct handle handle;

    struct why why; /* with a status: what differs, in words */

    /* on tensors of a GPU: written by streams/, whose notes most of these are. A backend that knows streams itself
     * (backend.on_streams) starts the op behind `ready`, and says so with `begun`; lets `gate` open behind it; and
     * test() is true, and `done` set, once that is open. It notifies the rank, which may sleep meanwhile. wait()
     * does not block then, but gives the op up if the job has failed. */
    uint32_t stream;             /* 1 + the number of the stream that was current at the call */
    struct event *ready;         /* that stream's work at the call */
    struct event *gate;          /* open: the op is over */
    bool unwanted;               /* nobody will ask for it again */
    int64_t asked, began, until; /* by the program; on the link: nanoseconds */
    _Atomic uint32_t begun, over;
    struct dist_work *next_posted, **at_posted; /* and where it hangs itself */
};
#define WORK_LIVE 0x3042u
#define BLOCK_SPLITS (-1) /* op->block of an all_to_all with a count for each member */

/* Get an op that was asked something ready for its backend: nothing has come out, and the backend has no notes. (One by one: for a
 * memset the compiler takes an instruction that needs longer to begin than all of these.) What only ops on a GPU have is cleared for
 * these. */
static inline void work_begin(struct dist_work *op)
{
    op->status = op->speaker = op->step = 0;
    op->from = -1;
    atomic_init(&op->done, 0);
    op->phase = op->ticket = op->traced = op->logged = 0;
    op->claimed = op->polled = false;
    atomic_init(&op->among, false);
    op->aside = NULL;
    op->next = op->before = NULL;
    op->match.next = op->match.before = op->match.chain = NULL;
    op->match.key = op->match.number = 0;
    op->guarded = NULL;
    op->pending = NULL;
    op->why.text[0] = 0;
    size_t from = offsetof(struct dist_work, stream);
    if (op->gpu)
        memset((char *)op + from, 0, sizeof *op - from);
}

/* A copy asks for the same, and has no notes: those belong to op's own thread, which may write there meanwhile. */
void work_copy_asked(struct dist_work *copy, const struct dist_work *op);

/* Is what it reads also what it writes, and not a block of that? Member 0's own block begins where the whole does. */
static inline bool work_has_one_tensor(const struct dist_work *op)
{
    return op->in.data == op->out.data && op->in.count == op->out.count;
}

/* The system gave this rank no thread or memory for it: an operation that its peers still wait for. */
static inline bool work_was_refused(const struct dist_work *op)
{
    return op->status == DIST_ERR_SYSTEM || op->status == DIST_ERR_MEMORY;
}

#endif
