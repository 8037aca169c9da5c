/*
 * monitored.c: a barrier that gives up: rank 0 hears from all, then tells all who has not come; so everybody says the same.
 *
 * All have the same time, from their own call on. Who has not been heard by rank 0 when that is over tells of rank 0. Who has been waits
 * as long again for its word: rank 0 came within the first half, and says it at the latest when its own time is over. (A message that was
 * copied aside tells nobody that it was heard: then a missing rank 0 takes twice the time.)
 */
#define _GNU_SOURCE
#include "run.h"
#include "../backends/common/members.h"

#include <stdlib.h>
#include <time.h>

/* Ask everybody at once: one who does not come must not hide others. */
static bool monitored_ask_all(struct run *run)
{
    run->asked = calloc(2 * (size_t)run->comm.size, sizeof *run->asked);
    if (!run->asked)
        run->comm.status = DIST_ERR_MEMORY;
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++)
        run_begin(run, &run->asked[i], i, false, (struct span){ 0 });
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

static void monitored_hear_all(struct run *run, struct absent *absent)
{
    while ((*absent = monitored_absent(run)).count > 0 && !world_failed(&run->outer->self->world)) {
        if (dist_time() > run->deadline)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    for (int i = 1; i < run->comm.size; i++) /* at once: all are over, one way or another, or the job is */
        run_finish(run, &run->asked[i]);
}

/* Those who come later find it, too; nobody waits for them. */
static void monitored_tell_all(struct run *run, struct absent *absent)
{
    struct algorithms *outer = run->outer;
    struct dist_work *told = run->asked + run->comm.size;
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++)
        run_begin(run, &told[i], i, true, (struct span){ absent, sizeof *absent });
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++)
        if (outer->inner->test(outer->state, &run->asked[i]))
            run_finish(run, &told[i]);
}

static void monitored_be_told(struct run *run, struct absent *absent)
{
    struct communicator *comm = &run->comm;
    comm_send(comm, 0, NULL, 0);
    run->deadline += run->op->timeout;
    comm_recv(comm, 0, absent, sizeof *absent);
    if (comm->status != DIST_ERR_TIMEOUT)
        return;
    *absent = (struct absent){ 0 };
    absent_add(absent, run->op->group->ranks[0]);
}

void run_monitored_barrier(struct run *run)
{
    struct communicator *comm = &run->comm;
    comm->type = DIST_U8;
    struct absent *absent = comm_scratch(comm, sizeof *absent); /* which others can read */
    if (!absent)
        return;
    *absent = (struct absent){ 0 };
    if (comm->rank > 0) {
        monitored_be_told(run, absent);
    } else if (monitored_ask_all(run)) {
        monitored_hear_all(run, absent);
        run->deadline += run->op->timeout;
        monitored_tell_all(run, absent);
    }
    if (absent->count > 0 && (comm->status == DIST_OK || comm->status == DIST_ERR_TIMEOUT)) {
        comm->status = DIST_ERR_TIMEOUT;
        absent_tell(run->op, absent);
    }
}
