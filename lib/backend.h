/*
 * backend.h: the doorway between the calls (dist_*.c) and the backends that move data (backends/).
 *
 * dist_*.c has checked all that one rank can check alone, and hands over an op. The backend finds out what only
 * two ranks together can know (sizes that differ, another collective on the other side), moves the
 * data, and says how it went. It never prints and never exits.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "call.h"
#include "dist.h"
#include "handles.h"
#include "launch/launch.h"
#include "tensor_impl.h"

#include <stddef.h>
#include <string.h>

/* A member list with an id that is the same on all its members, and no other open group's. */
struct dist_group {
    uint32_t live;
    int id;     /* 0 is the world; 1 to 65535, used again when all members have freed the group */
    int number; /* the n-th dist_new_group of the job; no other group has that */
    int size;
    int rank;            /* the caller's place in `ranks`; -1: not a member */
    int *ranks;          /* group rank -> world rank */
    _Atomic int pending; /* works not yet waited for */
    _Atomic int untaken; /* its messages that the backend has copied aside, and that nobody has taken yet */
    bool settled;        /* freed, and the backend knows */
    bool apart; /* by group_new: ranks did not meet for it, and the backend tells groups apart without ids */
    uint32_t logged;      /* diagnose/log.h: collectives in the list of calls */
    uint32_t by_messages; /* algorithms/: its collectives that were done by messages */
    void *room;           /* the backend's own */
    struct dist_at made_at;
    struct handle handle;
};
#define GROUP_LIVE 0x6409u

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

    /* what came out; written by the backend before it says done */
    int status;  /* enum dist_error */
    int from;    /* receives: the world rank that sent; else -1 */
    int speaker; /* with a status that several ranks get: 1 + the world rank that should tell; 0: this one */

    /* the backend's notes; nobody else looks */
    _Atomic uint32_t done;
    int step;
    uint32_t phase, ticket;
    bool claimed;
    _Atomic bool among;     /* dist_wait_any waits for this one, or others: the backend's notes say so */
    union {                 /* what a backend holds for it: */
        void *aside;        /* an eager message's copy; */
        void *result;       /* nccl, host tensors: a collective's, until all have read their inputs; */
        struct event *mark; /* nccl: once the stream has passed it the op is over; */
        struct run *run;    /* algorithms: the collective by messages */
    };
    struct dist_work *next, *before;
    struct match match;      /* of a send: its number among those to its receiver */
    uint32_t traced;         /* lib/trace: the event that its start was */
    uint32_t logged;         /* diagnose/log.h: its place in the list of calls */
    struct flight *flights;  /* diagnose/guard.h: of its tensors */
    struct pending *pending; /* streams/order.h: no stream has waited for it yet */

    uint32_t live; /* WORK_LIVE from start to wait; this and the next ones are the pool's */
    bool refused;  /* the backend did not take it, in the middle of a batch: dist_wait tells its status */
    struct handle handle;

    char why[256]; /* with a status: what differs, in words */

    /* on tensors of a GPU: written by streams/, whose notes most of these are. A backend that knows streams itself
     * (backend.on_streams) starts the op behind `ready`, and says so with `begun`; lets `gate` open behind it; and
     * test() is true, and `done` set, once that is open. It rings the bell of the rank, which may sleep meanwhile. wait()
     * does not block then, but gives the op up if the job has failed. */
    uint32_t stream;             /* 1 + the number of the stream that was current at the call */
    struct event *ready;         /* that stream's work at the call */
    struct gate *gate;           /* open: the op is over */
    bool kept;                   /* the host waits for it: not to be forgotten */
    bool unwanted;               /* nobody will ask for it again */
    int64_t asked, began, until; /* by the program; on the link: nanoseconds */
    _Atomic uint32_t begun, over;
    struct dist_work *next_posted, **at_posted; /* and where it hangs itself */
};
#define WORK_LIVE 0x3042u
#define BLOCK_SPLITS (-1) /* op->block of an all_to_all with a count for each member */

/* Get an op ready to be asked something: nothing has come out, and the backend has no notes. (One by one: for a memset the compiler
 * takes an instruction that needs longer to begin than all of these.) What only ops on a GPU have is cleared for these. */
static inline void work_begin(struct dist_work *op)
{
    op->status = op->speaker = op->step = 0;
    op->from = -1;
    atomic_init(&op->done, 0);
    op->phase = op->ticket = op->traced = op->logged = 0;
    op->claimed = false;
    atomic_init(&op->among, false);
    op->aside = NULL;
    op->next = op->before = NULL;
    op->match.next = op->match.before = op->match.chain = NULL;
    op->match.key = op->match.number = 0;
    op->flights = NULL;
    op->pending = NULL;
    op->why[0] = 0;
}
static inline void work_begin_on_gpu(struct dist_work *op)
{
    size_t from = offsetof(struct dist_work, stream);
    memset((char *)op + from, 0, sizeof *op - from);
}

/* A copy asks for the same, and has no notes: those belong to op's own thread, which may write there meanwhile. */
void work_copy_asked(struct dist_work *copy, const struct dist_work *op);

/* The system gave this rank no thread or memory for it: an operation that its peers still wait for. */
static inline bool work_was_refused(const struct dist_work *op)
{
    return op->status == DIST_ERR_SYSTEM || op->status == DIST_ERR_MEMORY;
}

/* How a quick way went: nothing was done, so take the long way; it is sent, or has arrived at its barrier: take the long way from
 * there (op->begun_quickly); it is over, and all is well. */
enum quick { QUICK_NOT, QUICK_BEGUN, QUICK_DONE };

/* The calls of a backend, in the order in which every backend defines them.
 *
 * The calls from send to monitored_barrier START an op. If op->async is false they return when it is over, else as
 * soon as it is under way; the backend then goes on by itself, with the rank's own code running. The result is
 * op->status (also returned), with op->why in words. Started ops belong to the backend until test or wait says
 * that they are done. A slot that is NULL is done by algorithms/ with sends and receives.
 *
 * One rank may call from several threads (streams); each op is used by one thread at a time. */
typedef int backend_call(void *state, struct dist_work *op);
struct backend {
    const char *name;
    bool on_streams; /* it works on tensors of a GPU, in the order of streams; else streams/ does that */

    /* Join the job; `world` is the group of all, *state what it keeps of this rank. dist_init follows it with a barrier. */
    int (*open)(struct launch_self *self, struct dist_group *world, void **state, char *why, size_t why_size);

    /* Leave: blocks until all that this rank has sent was taken. Works that were never waited for are finished, or given up
     * where somebody has left without whom they cannot be: from then on the backend looks at no op of this rank any more.
     * After it groups are freed, and then the backend is closed. */
    void (*leave)(void *state);
    int (*close)(void *state);

    /* Prepare the backend for op->group, whose size, rank and ranks are filled in; its id comes after. A collective over the
     * world, called on all ranks, members (rank >= 0) or not. group_free is local, on members only, when no op of the group is
     * unfinished. */
    int (*group_new)(void *state, struct dist_work *op);
    void (*group_free)(void *state, struct dist_group *group);

    /* Quick ways for small blocking calls in the world, without an op, that the calls try first. All four or none (NULL).
     * The tensor is good and lies in the world; peer and tag are in range. */
    enum quick (*quick_send)(void *state, const tensor *t, int peer, int tag, uint32_t site);
    enum quick (*quick_recv)(void *state, tensor *t, int peer, int tag, uint32_t site);
    enum quick (*quick_sum)(void *state, tensor *t, enum dist_op op, uint32_t site); /* all_reduce */
    enum quick (*quick_barrier)(void *state, uint32_t site);

    backend_call *send, *recv;
    backend_call *collectives[CALL_COUNT]; /* by what is called; monitored_barrier: never async */

    /* Is it done? Never blocks. wait blocks until it is; both may be called again after. */
    bool (*test)(void *state, struct dist_work *op);
    int (*wait)(void *state, struct dist_work *op);

    /* The caller is about to wait for several ops, one after another (true), or has done so (false): in between it does not compute,
     * and nobody else needs to drive the backend. NULL: that makes no difference. */
    void (*hold)(void *state, bool held);

    /* The rank's own thread is about to sleep, for something that is none of the backend's business, held up by this op (NULL:
     * by none): write down what is open, for the watcher (launch/note.h). NULL: the backend writes down nothing. */
    void (*note)(void *state, const struct dist_work *op);

    /* on_streams: must its tensors be on the host nevertheless? streams/ then brings them there and back. NULL: never. */
    bool (*on_host)(void *state, const struct dist_work *op);
};

/* Those that move data, where one function does them all (all_to_all may be another's). */
#define BACKEND_COLLECTIVES(call) \
    .collectives[CALL_BROADCAST] = (call), .collectives[CALL_REDUCE] = (call), \
    .collectives[CALL_ALL_REDUCE] = (call), .collectives[CALL_SCATTER] = (call), \
    .collectives[CALL_GATHER] = (call), .collectives[CALL_ALL_GATHER] = (call), \
    .collectives[CALL_REDUCE_SCATTER] = (call)

/* A number that tells one list of ranks from others: what members of a new group compare. */
int64_t group_hash(const struct dist_group *group);

/* The job has failed (world_failed): the status of an op that cannot be done any more, and its words in op->why. */
int backend_failed(const struct world *world, struct dist_work *op);

/* Hand an op to its backend. Whatever that did: one that failed has a status, and is the caller's again. */
static inline int backend_start(const struct backend *b, void *state, struct dist_work *op)
{
    backend_call *call = !op->p2p ? b->collectives[op->call] : op->sends ? b->send : b->recv;
    int status = call(state, op);
    if (status != DIST_OK)
        op->status = status;
    return status;
}

extern const struct backend backend_shm, backend_cuda, backend_nccl, backend_mpi, backend_gloo;

#endif
