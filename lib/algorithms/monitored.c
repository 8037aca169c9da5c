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
    while ((*absent = monitored_absent(run)).count > 0 && !world_failed(&run->outer->self->world) &&
           !run_differs(run)) {
        if (dist_time() > run->deadline)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    for (int i = 1; i < run->comm.size; i++) /* at once: all are over, one way or another, or none will be */
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

/* Rank 0 may have told, and left, before this one came: then it will not hear it. */
static void monitored_be_told(struct run *run, struct absent *absent)
{
    struct algorithms *outer = run->outer;
    run_begin(run, &run->in, 0, false, (struct span){ absent, sizeof *absent });
    if (run->comm.status == DIST_OK)
        run_begin(run, &run->out, 0, true, (struct span){ 0 });
    if (run->comm.status == DIST_OK && !outer->inner->test(outer->state, &run->in))
        run_finish(run, &run->out);
    run->deadline += run->op->timeout;
    if (run->comm.status == DIST_OK)
        run_finish(run, &run->in);
    if (run->comm.status == DIST_OK && absent->count == 0)
        run_finish(run, &run->out);
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
    run->deadline = 0;
    if (comm->status == DIST_ERR_TIMEOUT && absent->count == 0) /* rank 0 itself knows it by who has gone */
        absent_add(absent, run->op->group->ranks[0]);
    if (run_differs(run))
        comm->status = DIST_OK;
    else if (comm->status == DIST_OK || comm->status == DIST_ERR_TIMEOUT)
        comm->status = absent_tell(run->op, absent);
    if (run->meets && comm->status == DIST_OK)
        run_finish(run, &run->meeting);
}
