/*
 * cuda.h: the CUDA backend: ranks that are threads of one process, and share one or more GPUs.
 *
 * It is written against devices/device.h only, so that it runs on the simulated GPU just as well (DEVICE=sim).
 *
 *   queued   ->   started   ->   given
 *
 * An op is QUEUED by its call, behind those of its rank before it (start.c). It is STARTED, in that order, as soon as
 * its `ready` event is sure to pass: from then on others see it, and it may find its message's other half (messages.c), or
 * its collective (meet.c). Whoever comes last GIVES the whole to the device: copies and kernels behind the `ready` events
 * of all, and all gates behind those (messages.c, plans.c). No host waits for a GPU in this, and no GPU for a host. Ops on
 * host tensors take the same way; what is to be done is then done at once, by whoever comes last, and they are over.
 *
 * Why nothing that was given can be stuck. It waits for `ready` events that are sure, and for what was given to the same
 * communication streams before. So in the order in which things are given, each waits for earlier things only.
 * Without that rule a receive could be given whose memory is free only behind another receive, which is
 * matched later and would stand behind it in the same stream.
 *
 * The tables are plain memory, since all ranks share it. One lock guards all of them: what is done under it is to compare
 * some words and to enqueue, a few microseconds, and with more locks a message would need both ranks' anyway. It is taken
 * before a device's own lock; under neither of them does anybody wait.
 */
#ifndef CUDA_H
#define CUDA_H

#include "../common/match.h"
#include "../common/members.h"
#include "../common/queue.h"
#include "../../devices/device.h"
#include "../../streams/gpu.h"

#include <pthread.h>

/* An op's way, in op->step. OP_ASIDE: a copy of a short message, which stands where its send would; nobody waits for it. */
enum { OP_QUEUED, OP_STARTED, OP_ASIDE, OP_GIVEN };

/* What the job knows of a rank. */
struct cuda_rank {
    struct cuda_state *cuda; /* NULL: it has not come, or has left */
    struct op_queue queued;  /* its ops that have not started, */
    struct op_queue
        open; /* and those that have, and are not given: in the order in which they were started */
    struct match_table unexpected; /* messages to it that no receive has asked for: the senders' ops */
    struct match_table posted;     /* its receives that no message has come for */
};

/* A collective whose members have not all come. */
struct meeting {
    struct match match; /* by the group's id and which of its collectives it is, from 1; first */
    int size, arrived;
    struct why late;         /* of a monitored_barrier whose time is up: for those who come now; else empty */
    struct dist_work *ops[]; /* by group rank; NULL: it has not come, or has given up */
};

/* What all ranks share. */
struct cuda_job {
    pthread_mutex_t lock;
    int size, left; /* ranks; those that have left */
    bool far;       /* kernels of some rank cannot reach the memory of some other */
    struct match_table meetings;
    struct cuda_rank ranks[];
};

/* What the backend keeps for one rank. */
struct cuda_state {
    struct launch_self *self;
    struct cuda_job *job;
    int rank;
    size_t eager_bytes;    /* 0: rendezvous */
    struct gpu *gpu;       /* NULL: it has done nothing on a GPU yet */
    struct stream *stream; /* on which it communicates */
    struct event *mark;    /* a point of that stream, for other ranks' streams to follow */
};

static inline int cuda_rank_of(const struct dist_work *op)
{
    return op->group->ranks[op->group->rank];
}
static inline struct cuda_state *cuda_of(const struct cuda_job *job, const struct dist_work *op)
{
    return job->ranks[cuda_rank_of(op)].cuda;
}
static inline const struct device *cuda_device_of(const struct dist_work *op)
{
    return op->gpu->device;
}

/* ---- start.c: from the call to the tables ---------------------------------------------- */

/* Queue an op, on its rank's own thread; start what can start. A blocking one is over when this returns. */
int cuda_start_post(void *cuda, struct dist_work *op);

/* All else with the lock held. The op was given to the device, or (host tensors; any other status) is over; a copy of an eager
 * message is freed. Not to be touched any more. */
void cuda_start_given(struct cuda_job *job, struct dist_work *op, int status);

/* A rank's communication goes on behind what another's has been given so far. */
int cuda_start_behind(const struct cuda_state *cuda, const struct cuda_state *other);

/* ---- messages.c: point to point ---------------------------------------------------------- */

void cuda_messages_send(struct cuda_job *job, struct dist_work *op);
void cuda_messages_recv(struct cuda_job *job, struct dist_work *op);
void cuda_messages_free(
    struct dist_work *aside); /* of a message that was short, and is not wanted any more */

/* ---- meet.c, plans.c, parts.c: collectives ------------------------------------------------- */

void cuda_meet(struct cuda_job *job, struct dist_work *op);
struct meeting *cuda_meet_find(const struct cuda_job *job,
                               const struct dist_work *op); /* that it has come to */
void cuda_meet_leave(struct cuda_job *job, const struct dist_work *op);
void cuda_meet_end(struct cuda_job *job, struct dist_work *op); /* its time is up, so all members' is */

/* All members are there and agree: put all that is to be done into their streams, or do it at once, and give their ops. */
void cuda_plan_run(struct cuda_job *job, struct meeting *meeting);

/* ---- wait.c ---------------------------------------------------------------------------------- */

bool cuda_test(void *cuda, struct dist_work *op);
int cuda_wait(void *cuda, struct dist_work *op);
void cuda_note(void *cuda, const struct dist_work *waited);

/* Wait until nobody needs anything of this rank any more; then give up what it still has open. */
void cuda_leave(void *cuda);

#endif
