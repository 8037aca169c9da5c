/*
 * ops.h: the communication stream of a rank, for backends that know nothing of streams.
 *
 *   posted   ->   flying   ->   over
 *
 * An op is POSTED by the rank, with an event behind the work that stood in the current stream. The progress thread starts posted
 * ops in order, each once its event has passed: so a message holds what was computed before the call. FLYING, it is the
 * backend's, like any asynchronous operation; several fly at once. When the backend is done with it, and the simulated link
 * too, it is OVER: its gate opens, and the streams that wait for it go on.
 *
 * Who owns what. `lock` guards the lists. An op that is not over belongs to the progress thread, any other to the rank
 * (ops_settle frees what nobody will ask for). op->over is written last; who reads it may read the rest. Whoever makes
 * news notifies the rank after writing it: the rank after posting, streams after an event, the backend after an op.
 */
#ifndef STREAMS_OPS_H
#define STREAMS_OPS_H

#include "gpu.h"
#include "../devices/link.h"
#include "../launch/worker.h"

struct op_list {
    struct dist_work *first, **end;
};

/* Of what is over: what will be asked for again; of the others what went well, and what did not. */
enum { LIST_POSTED, LIST_FLYING, LIST_WANTED, LIST_GOOD, LIST_FAILED, OP_LISTS };

struct gpu_ops {
    struct gpu *gpu;
    struct context *context;
    pthread_mutex_t lock;
    struct op_list lists[OP_LISTS];
    struct worker thread;
    bool stop;
    int fly;       /* at the thread's last look; only it asks */
    bool starting; /* the last of `flying` is on its way to the backend, without the lock */
    bool
        native; /* the backend works on streams itself: there is no thread, and only the rank sees the lists */
    struct link link; /* to the other ranks */
    bool lazy;        /* DIST_CONNECT=lazy */
    bool met[];       /* lazy: with which world ranks there was a message before */
};

/* ops.c: its event and its gate are needed no more */
void ops_give_back(struct dist_work *op);

/* settle.c: forget what is over and went well. What failed is told where the host waits: a call that only enqueues cannot
 * know it, and shall not seem to by luck. */
void ops_tidy(struct gpu_ops *ops);

/* Its end, with the lock held; and: nobody will ask for it any more. */
void ops_end(struct gpu_ops *ops, struct dist_work *op);
void ops_unwant(struct gpu_ops *ops, struct dist_work *op);

/* native.c: post, and look what has become of all that was posted, or of one */
void native_post(struct gpu_ops *ops, struct dist_work *op);
void native_look(struct gpu_ops *ops);
void native_look_at(struct gpu_ops *ops, struct dist_work *op);

/* ops_thread.c. Is the backend done with it? Of a job that has failed nothing is waited for: the backend's `wait` gives the op up. And:
 * if the system has refused it, tell so now. */
bool ops_is_done(struct gpu_ops *ops, struct dist_work *op);
void ops_tell_refusal(const struct gpu_ops *ops, const struct dist_work *op);
bool ops_thread_start(struct gpu_ops *ops);

/* Before the lists are looked at. */
static inline void ops_look(struct gpu_ops *ops)
{
    if (ops && ops->native)
        native_look(ops);
}

static inline void op_append(struct op_list *list, struct dist_work *op)
{
    op->next_posted = NULL;
    op->at_posted = list->end;
    *list->end = op;
    list->end = &op->next_posted;
}

static inline struct dist_work *op_take(struct op_list *list, struct dist_work *op)
{
    *op->at_posted = op->next_posted;
    *(op->next_posted ? &op->next_posted->at_posted : &list->end) = op->at_posted;
    return op;
}

#endif
