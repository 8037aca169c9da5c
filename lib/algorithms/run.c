/*
 * run.c: one collective by messages: the communicator whose messages go through a backend, and which algorithm does what.
 *
 * The messages of a collective have a tag of their own, below zero: no message of the program can match them, nor can
 * those of another collective that is under way in the same group.
 *
 * In a program's own thread a message is waited for with the inner backend's `wait`, so that the watcher sees a sleeping
 * rank as one. The thread of an asynchronous collective must not write what the rank waits for: it asks the inner backend,
 * and sleeps on the rank's event count in between, with a note of its own. With a time limit, or where
 * there are more of them than notes, it naps instead.
 */
#define _GNU_SOURCE
#include "run.h"
#include "../backends/common/members.h"
#include "../devices/host.h"

#include <stdlib.h>
#include <time.h>

#define SHORT_NAP 20000L /* ns */
#define LONG_NAP 1000000L
#define LONG_SLEEP 1000 /* ms; nobody depends on it */

/* ---- messages ------------------------------------------------------------------------- */

void run_begin(struct run *run, struct dist_work *message, int peer, bool sends, struct span span)
{
    const struct dist_work *op = run->op;
    if (run->comm.status != DIST_OK)
        return;
    *message = (struct dist_work){ .call = op->call,
                                   .at = op->at,
                                   .site = op->site,
                                   .group = op->group,
                                   .type = run->comm.type,
                                   .peer = op->group->ranks[peer],
                                   .tag = run->tag,
                                   .p2p = true,
                                   .sends = sends,
                                   .async = true,
                                   .from = -1 };
    *(sends ? &message->in : &message->out) = span;
    run->comm.status = backend_start(run->outer->inner, run->outer->state, message);
    if (run->comm.status != DIST_OK)
        run->op->why = message->why;
}

bool run_differs(const struct run *run)
{
    return atomic_load(&run->meeting.done) && run->meeting.status == DIST_ERR_MISMATCH;
}

struct awaited {
    struct run *run;
    struct dist_work *message;
    int status; /* why it is given up */
};

/* Nobody will come for it any more: the rank is closing, and its peer or the whole job is over. */
static bool run_is_alone(const struct run *run, const struct dist_work *message)
{
    return atomic_load(&run->outer->closing) &&
           (member_has_left(&run->outer->self->world, message->peer) || world_over(&run->outer->self->world));
}

/* Has it come, or is it hopeless? Whether the peer has gone is read first: a rank leaves only once what it has sent and taken is
 * settled, so what the test does not find then was never there. Read after the test, it could have come and gone in between. */
static bool run_news(void *argument)
{
    struct awaited *awaited = argument;
    struct algorithms *outer = awaited->run->outer;
    double deadline = awaited->run->deadline;
    bool alone = run_is_alone(awaited->run, awaited->message);
    if (outer->inner->test(outer->state, awaited->message) || world_failed(&outer->self->world))
        return true; /* in both cases wait knows more, and at once */
    if (deadline > 0 && dist_time() > deadline)
        awaited->status = DIST_ERR_TIMEOUT;
    else if (alone)
        awaited->status = DIST_ERR_PEER_LOST;
    else if (run_differs(awaited->run))
        awaited->status = DIST_ERR_MISMATCH;
    return awaited->status != DIST_OK;
}

static int run_wait_by_asking(struct run *run, struct dist_work *message)
{
    struct awaited awaited = { run, message, DIST_OK };
    struct timespec nap = { .tv_nsec = SHORT_NAP };
    while (!run_news(&awaited)) {
        if (run->note) {
            eventcount_sleep(&launch_slot(run->outer->self)->eventcount, run_news, &awaited, LONG_SLEEP,
                             run->note);
            continue;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < LONG_NAP)
            nap.tv_nsec += nap.tv_nsec / 4;
    }
    return awaited.status != DIST_OK ? awaited.status : run->outer->inner->wait(run->outer->state, message);
}

void run_finish(struct run *run, struct dist_work *message)
{
    struct algorithms *outer = run->outer;
    bool asks = run->op->async || run->deadline > 0;
    int status = asks ? run_wait_by_asking(run, message) : outer->inner->wait(outer->state, message);
    if (status == DIST_OK || run->comm.status != DIST_OK)
        return;
    run->comm.status = status;
    run->op->why = message->why;
    run->op->speaker = message->speaker;
}

static void run_swap_by_backend(struct communicator *comm, int to, const void *out, int64_t out_count,
                                int from, void *in, int64_t in_count)
{
    struct run *run = (struct run *)comm;
    if (in_count >= 0)
        run_begin(run, &run->in, from, false, (struct span){ in, in_count });
    if (out_count >= 0)
        run_begin(run, &run->out, to, true, (struct span){ (void *)(uintptr_t)out, out_count });
    if (comm->status != DIST_OK)
        return;
    if (in_count >= 0)
        run_finish(run, &run->in);
    if (out_count >= 0)
        run_finish(run, &run->out);
}

static void *run_scratch_from_host(struct communicator *comm, int64_t count)
{
    struct run *run = (struct run *)comm;
    if (run->memory_count == RUN_SCRATCH)
        return NULL;
    void *memory = host_alloc(run->outer->self, (size_t)count * dtype_size(comm->type));
    if (memory)
        run->memory[run->memory_count++] = memory;
    return memory;
}

void run_free(struct run *run)
{
    while (run->memory_count > 0)
        host_free(run->outer->self, run->memory[--run->memory_count]);
    free(run->asked);
    free(run);
}

/* ---- which algorithm does what ----------------------------------------------------------- */

static void run_perform(struct run *run)
{
    struct dist_work *op = run->op;
    struct communicator *comm = &run->comm;
    switch (op->call) {
    case CALL_BROADCAST:
        tree_broadcast(comm, op->out.data, op->block, op->peer);
        break;
    case CALL_REDUCE:
        gather_reduce(comm, op->out.data, op->block, op->peer);
        break;
    case CALL_ALL_REDUCE:
        comm_all_reduce(comm, run->outer->forced ? run->outer->forced : gather_all_reduce, op->out.data,
                        op->block);
        break;
    case CALL_SCATTER:
        star_scatter(comm, op->out.data, op->in.data, op->block, op->peer);
        break;
    case CALL_GATHER:
        star_gather(comm, op->out.data, op->in.data, op->block, op->peer);
        break;
    case CALL_ALL_GATHER:
        ring_all_gather(comm, op->out.data, op->in.data, op->block);
        break;
    case CALL_REDUCE_SCATTER:
        pairs_reduce_scatter(comm, op->out.data, op->in.data, op->block);
        break;
    case CALL_ALL_TO_ALL:
        pairs_all_to_all(comm, op->out.data, op->in.data, op->block, op->splits);
        break;
    case CALL_MONITORED_BARRIER:
        run_monitored_barrier(run);
        break;
    default:
        barrier_spread(comm);
    }
}

void run_to_end(struct run *run)
{
    struct dist_work *op = run->op;
    run->comm = (struct communicator){ .rank = op->group->rank,
                                       .size = op->group->size,
                                       .type = op->type,
                                       .op = op->op,
                                       .swap = run_swap_by_backend,
                                       .scratch = run_scratch_from_host };
    run_agree(run);
    run_perform(run);
    if (run->comm.status == DIST_ERR_MEMORY && !op->why.text[0])
        why_say(&op->why, "there is no memory left for the messages of this collective");
    op->status = run->comm.status;
    atomic_store(&op->done, 1);
}
