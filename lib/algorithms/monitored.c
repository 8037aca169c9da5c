/*
 * monitored.c: a barrier that gives up: rank 0 asks all whether they are there, then tells all who has not come; so everybody says the same.
 *
 * All have the same time, from their own call on. Who has not been asked when that is over tells of rank 0, and answers so: rank 0, when
 * it comes, will say the same. Who has been waits as long again for its word: rank 0 came within the first half, and says it at the
 * latest when its own time is over.
 */
#define _GNU_SOURCE
#include "run.h"
#include "../backends/common/members.h"

#include <stdlib.h>
#include <time.h>

/* Rank 0's messages with member i. */
enum monitored { ANSWER, QUESTION, VERDICT };
static struct dist_work *monitored_message(const struct run *run, enum monitored which, int i)
{
    return &run->asked[(int)which * run->comm.size + i];
}

/* Ask everybody at once: one who does not come must not hide others. */
static bool monitored_ask_all(struct run *run, unsigned char *late)
{
    run->asked = calloc(3 * (size_t)run->comm.size, sizeof *run->asked);
    if (!run->asked)
        run->comm.status = DIST_ERR_MEMORY;
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++) {
        run_begin(run, monitored_message(run, ANSWER, i), i, false, (struct span){ &late[i], 1 });
        run_begin(run, monitored_message(run, QUESTION, i), i, true, (struct span){ 0 });
    }
    return run->comm.status == DIST_OK;
}

static bool monitored_has_answered(const struct run *run, int i)
{
    return run->outer->inner->test(run->outer->state, monitored_message(run, ANSWER, i));
}

static struct absent monitored_absent(struct run *run)
{
    struct absent absent = { 0 };
    for (int i = 1; i < run->comm.size; i++)
        if (!monitored_has_answered(run, i))
            absent_add(&absent, run->op->group->ranks[i]);
    return absent;
}

static void monitored_hear_all(struct run *run, struct absent *absent, const unsigned char *late)
{
    while ((*absent = monitored_absent(run)).count > 0 && !world_failed(&run->outer->self->world) &&
           !run_differs(run)) {
        if (dist_time() > run->deadline)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
    bool too_late = false;
    /* At once: all are over, one way or another, or none will be. */
    for (int i = 1; i < run->comm.size; i++) {
        run_finish(run, monitored_message(run, ANSWER, i));
        too_late = too_late || late[i];
    }
    if (too_late) /* for one that has told of rank 0 */
        absent_add(absent, run->op->group->ranks[0]);
}

/* Those who come later find it, too; nobody waits for them. */
static void monitored_tell_all(struct run *run, struct absent *absent)
{
    for (int i = 1; i < run->comm.size; i++)
        run_begin(run, monitored_message(run, VERDICT, i), i, true, (struct span){ absent, sizeof *absent });
    for (int i = 1; run->comm.status == DIST_OK && i < run->comm.size; i++)
        if (monitored_has_answered(run, i)) {
            run_finish(run, monitored_message(run, QUESTION, i));
            run_finish(run, monitored_message(run, VERDICT, i));
        }
}

/* Rank 0 may have told, and left, before this one came: then nobody takes its answer, and the verdict is there. */
static void monitored_be_told(struct run *run, struct absent *absent, unsigned char *late)
{
    struct dist_work *question = &run->out, *verdict = &run->in;
    run->asked = calloc(1, sizeof *run->asked);
    if (!run->asked)
        run->comm.status = DIST_ERR_MEMORY;
    run_begin(run, question, 0, false, (struct span){ 0 });
    run_begin(run, verdict, 0, false, (struct span){ absent, sizeof *absent });
    if (run->comm.status != DIST_OK)
        return;
    run_finish(run, question);
    int status = run->comm.status;
    *late = status == DIST_ERR_TIMEOUT;
    run->comm.status = DIST_OK;
    run_begin(run, run->asked, 0, true, (struct span){ late, 1 });
    run->comm.status = status;
    run->deadline += run->op->timeout;
    if (status == DIST_OK)
        run_finish(run, verdict);
    if (run->comm.status == DIST_OK && absent->count == 0)
        run_finish(run, run->asked);
}

void run_monitored_barrier(struct run *run)
{
    struct communicator *comm = &run->comm;
    comm->type = DIST_U8;
    /* Which others can read. `late`, of each rank: it had given up when it was asked. */
    struct absent *absent = comm_scratch(comm, sizeof *absent);
    unsigned char *late = comm_scratch(comm, comm->size);
    if (!absent || !late)
        return;
    *absent = (struct absent){ 0 };
    if (comm->rank > 0) {
        monitored_be_told(run, absent, late);
    } else if (monitored_ask_all(run, late)) {
        monitored_hear_all(run, absent, late);
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
