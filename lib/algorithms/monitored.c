/*
 * monitored.c: a barrier that gives up: rank 0 hears from all, then tells all. So rank 0 knows who has not come.
 */
#define _GNU_SOURCE
#include "run.h"
#include "../backends/common/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ask everybody at once: one who does not come must not hide others. */
static bool monitored_ask_all(struct run *run)
{
    struct algorithms *outer = run->outer;
    run->asked = calloc((size_t)run->comm.size, sizeof *run->asked);
    if (!run->asked)
        run->comm.status = DIST_ERR_MEMORY;
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++) {
        run_fill(run, &run->asked[i], i, false, (struct span){ 0 });
        run->comm.status = outer->inner->recv(outer->state, &run->asked[i]);
    }
    return run->comm.status == DIST_OK;
}

static struct absent monitored_absent(struct run *run)
{
    struct algorithms *outer = run->outer;
    struct absent absent = { 0 };
    for (int i = 1; i < run->comm.size; i++)
        if (!outer->inner->test(outer->state, &run->asked[i]))
            absent_add(&absent, run->op->group->ranks[i]);
    return absent;
}

static void monitored_hear_all(struct run *run)
{
    for (struct absent absent; (absent = monitored_absent(run)).count > 0;) {
        if (dist_time() > run->deadline || world_failed(&run->outer->self->world)) {
            run->comm.status = DIST_ERR_TIMEOUT;
            absent_tell(run->op, &absent);
            return;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
}

void run_monitored_barrier(struct run *run)
{
    struct communicator *comm = &run->comm;
    if (comm->rank == 0) {
        if (monitored_ask_all(run))
            monitored_hear_all(run);
        for (int i = 1; i < comm->size; i++)
            comm_send(comm, i, NULL, 0);
        return;
    }
    comm_send(comm, 0, NULL, 0);
    comm_recv(comm, 0, NULL, 0);
    if (comm->status == DIST_ERR_TIMEOUT)
        snprintf(run->op->why, sizeof run->op->why, "after %g s somebody had not come; rank %d knows who",
                 run->op->timeout, run->op->group->ranks[0]);
}
