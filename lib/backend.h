/*
 * backend.h: the interface between the calls (dist_*.c) and the backends that move data (backends/).
 *
 * dist_*.c has checked all that one rank can check alone, and hands over an op. The backend finds out what only
 * two ranks together can know (sizes that differ, another collective on the other side), moves the
 * data, and says how it went. It never prints and never exits.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "call.h"
#include "dist.h"
#include "launch/launch.h"
#include "tensor_impl.h"
#include "work.h"

/* A member list with an id that is the same on all its members, and no other open group's. */
struct dist_group {
    uint32_t live;
    int id;     /* 0 is the world; 1 to 65535, used again when all members have freed the group */
    int number; /* the n-th dist_new_group of the job; no other group has that */
    int size;
    int rank;            /* the caller's place in `ranks`; -1: not a member */
    int *ranks;          /* group rank -> world rank */
    _Atomic int untaken; /* its messages that the backend has copied aside, and that nobody has taken yet */
    bool settled;        /* freed, and the backend knows */
    bool met;            /* streams/: there was a collective on GPU tensors before */
    bool apart;      /* by group_new: ranks did not meet for its id: the backend chose that, or needs none */
    uint32_t logged; /* diagnose/log.h: collectives in the list of calls */
    uint32_t collectives; /* algorithms/: that were called, where some are done by messages */
    void *state;          /* the backend's own */
    uint32_t seq;         /* the backend's: collectives of it that this rank has begun; */
    uint64_t members;     /* and where `ranks` can be read in the world (launch/note.h); 0: it is the world */
    struct dist_at made_at;
    struct handle handle;
};
#define GROUP_LIVE 0x6409u

/* The place of a world rank in a group; -1: none. */
int group_index(const struct dist_group *group, int rank);

/* How a quick way ended. NOT: nothing was done, take the long way. BEGUN: a send is posted, a receive has said what it wants, a collective
 * has arrived at its barrier: go on from there (op->begun_quickly; after a message the backend is still locked, until that op comes in).
 * DONE: it is over, without an error. */
enum quick { QUICK_NOT, QUICK_BEGUN, QUICK_DONE };

/* The calls of a backend, in the order in which every backend defines them.
 *
 * The calls from send to monitored_barrier START an op. If op->async is false they return when it is over, else as
 * soon as it is under way; the backend then goes on by itself, with the rank's own code running. The result is
 * op->status (also returned), with op->why in words. Started ops belong to the backend until test or wait says
 * that they are done. A collective that is left out is done by algorithms/ with sends and receives.
 *
 * One rank may call from several threads (streams); each op is used by one thread at a time. */
typedef int backend_call(void *state, struct dist_work *op);
struct backend {
    const char *name;
    bool on_streams; /* it works on tensors of a GPU, in the order of streams; else streams/ does that */

    /* Join the job; `world` is the group of all, *state what it keeps of this rank. dist_init follows it with a barrier. */
    int (*open)(struct launch_self *self, struct dist_group *world, void **state, struct why *why);

    /* Leave: blocks until all that this rank has sent was taken. Works that were never waited for are finished, or given up
     * where somebody has left without whom they cannot be: from then on the backend looks at no op of this rank any more.
     * After it groups are freed, and then the backend is closed. */
    void (*leave)(void *state);
    int (*close)(void *state);

    /* Prepare the backend for a group, whose size, rank and ranks are filled in; its id comes after. The op is a collective over the
     * world, called on all ranks, members (rank >= 0) or not; its block is a number that tells one list of ranks from others. group_free is
     * local, on members only, when no op of the group is unfinished. */
    int (*group_new)(void *state, struct dist_work *op, struct dist_group *group);
    void (*group_free)(void *state, struct dist_group *group);

    /* Quick ways for small blocking calls, without an op, that the calls try first. All four or none (NULL). The tensor is good and lies
     * in the world; peer and tag are in range, and both ranks in the group. */
    enum quick (*quick_send)(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                             uint32_t site);
    enum quick (*quick_recv)(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                             uint32_t site);
    enum quick (*quick_sum)(void *state, tensor *t, enum dist_op op,
                            uint32_t site); /* all_reduce, in the world */
    enum quick (*quick_barrier)(void *state, uint32_t site);

    backend_call *send, *recv;
    backend_call *collective; /* whichever is called; a monitored_barrier is never async. NULL: it has none */
    uint32_t leaves;          /* of them to algorithms/: 1u << CALL_ALL_TO_ALL and so on */

    /* Of a collective that this backend leaves to algorithms/: let all members come together, as for one of its own, and compare what they
     * call; no data move. NULL: algorithms/ compares, among those that are done there. */
    backend_call *meet;

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

/* Does it do this collective itself? */
static inline bool backend_does(const struct backend *b, enum call call)
{
    return b->collective && !(b->leaves >> call & 1);
}

static inline size_t bytes_of(const struct dist_work *op, struct span span)
{
    return (size_t)span.count * dtype_size(op->type);
}

/* The words for a thread that cannot be had. */
#define BACKEND_NO_THREAD \
    "the system gives no thread for work in the background; see what it limits (ulimit -a)"

/* The job has failed (world_failed): the status of an op that cannot be done any more, and its words. */
int backend_failed(const struct world *world, struct why *why);

/* An op in words that any process understands; `arrived`, `seq` and `members` are its backend's to fill in. */
struct note_op work_note(const struct dist_work *op);

/* Hand an op to its backend. Whatever that did: one that failed has a status, and is the caller's again. */
static inline int backend_start(const struct backend *b, void *state, struct dist_work *op)
{
    backend_call *call = !op->p2p ? b->collective : op->sends ? b->send : b->recv;
    int status = call(state, op);
    if (status != DIST_OK)
        op->status = status;
    return status;
}

extern const struct backend backend_shm, backend_cuda, backend_nccl, backend_mpi, backend_gloo;

#endif
