/*
 * cuda.h: the CUDA room: ranks that are threads of one process, and share one or more GPUs.
 *
 * It is written against devices/device.h only, so that it runs on the simulated GPU just as well (DEVICE=sim).
 *
 *   posted   ->   started   ->   given
 *
 * An op is POSTED by its call, behind those that its rank posted before (start.c). It is STARTED, in that order, as soon as
 * its `ready` event is sure to pass: from then on others see it, and it may find its message's other half (match.c), or
 * its collective (meet.c). Whoever comes last GIVES the whole to the device: copies and kernels behind the `ready` events
 * of all, and all gates behind those (move.c, plans.c). No host waits for a GPU in this, and no GPU for a host. Ops on
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
#include "../common/queue.h"
#include "../../devices/device.h"
#include "../../streams/gpu.h"

#include <pthread.h>

/* An op's way, in op->step. */
enum { OP_POSTED, OP_STARTED, OP_GIVEN };

/* What the job knows of a rank. */
struct seat {
    struct cuda_room *room;     /* NULL: it has not come, or has left */
    struct op_queue posted;     /* its ops that have not started */
    struct match_table letters; /* messages to it that no receive has asked for: the senders' ops */
    struct match_table recvs;   /* its receives that no message has come for */
};

/* A collective whose members have not all come. */
struct meeting {
    struct match match; /* by the group's id and which of its collectives it is, from 1; first */
    int size, arrived;
    bool *came;              /* by group rank; also of those who have given up since */
    struct dist_work *ops[]; /* by group rank; NULL: it is not there */
};

/* What all ranks share. */
struct cuda_job {
    pthread_mutex_t lock;
    int size, left; /* ranks; those that have left the room */
    bool far;       /* kernels of some rank cannot reach the memory of some other */
    struct match_table meetings;
    struct seat seats[];
};

/* One rank's view of a group. */
struct cuda_group {
    uint32_t seq;     /* collectives that this rank has started */
    int32_t *members; /* world ranks, where the watcher can read them; NULL: the world */
};

/* One rank's room. */
struct cuda_room {
    struct launch_self *self;
    struct world *world;
    struct rank_slot *slot;
    struct cuda_job *job;
    int rank;
    size_t eager_bytes; /* 0: rendezvous */
    struct dist_group *all;
    struct cuda_group world_group;
    struct gpu *gpu;       /* NULL: it has done nothing on a GPU yet */
    struct stream *stream; /* on which it communicates */
    struct event *mark;    /* a point of that stream, for other ranks' streams to follow */
};

static inline int rank_of(const struct dist_work *op)
{
    return op->group->ranks[op->group->rank];
}
static inline struct cuda_room *room_of(const struct cuda_job *job, const struct dist_work *op)
{
    return job->seats[rank_of(op)].room;
}
static inline const struct device *device_of(const struct dist_work *op)
{
    return op->gpu->device;
}
static inline size_t bytes_of(const struct dist_work *op, struct span span)
{
    return (size_t)span.count * dtype_size(op->type);
}

/* ---- start.c: from the call to the tables ---------------------------------------------- */

/* Post an op, on its rank's own thread; start what can start. A blocking one is over when this returns. */
int start_post(struct cuda_room *room, struct dist_work *op);

/* All else with the lock held. The op was given to the device, or (host tensors; any other status) is over. Not to
 * be touched any more. */
void start_given(struct cuda_job *job, struct dist_work *op, int status);

/* ---- match.c, move.c: point to point ---------------------------------------------------- */

void match_send(struct cuda_job *job, struct dist_work *op);
void match_recv(struct cuda_job *job, struct dist_work *op);

/* The message goes from send to recv, which fit; both are given. */
void move_message(struct cuda_job *job, struct dist_work *send, struct dist_work *recv);

/* A copy of a short message, which waits in its place; the send is given. NULL: no memory; the send has the words. */
struct dist_work *move_aside(struct cuda_job *job, struct dist_work *send);
void move_forget(struct dist_work *aside);

/* ---- meet.c, plans.c, reduce.c: collectives ------------------------------------------------- */

void meet(struct cuda_job *job, struct dist_work *op);
bool meet_leave(struct cuda_job *job, const struct dist_work *op); /* false: it is not there */
int meet_missing(struct cuda_job *job, const struct dist_work *op, char *list,
                 size_t size); /* who, and how many */

/* All members are there and agree: put all that is to be done into their streams, or do it at once, and give their ops. */
void plan_run(struct cuda_job *job, struct meeting *meeting);

/* ---- wait.c, leave.c ------------------------------------------------------------------------ */

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

bool cuda_test(void *room, struct dist_work *op);
int cuda_wait(void *room, struct dist_work *op);

/* Pin up what is open, and sleep until there is what is wanted, the job has failed, or so much time is over. */
void wait_asleep(struct cuda_room *room, struct dist_work *op,
                 bool (*wanted)(struct cuda_room *room, struct dist_work *op), int milliseconds);

/* Wait until nobody needs anything of this rank any more; and take its ops out of all tables. */
void cuda_leave(void *room);

/* ---- notes.c: what this rank waits for, for others to read --------------------------------- */

void notes_pin(struct cuda_room *room, const struct dist_work *waited);

#endif
