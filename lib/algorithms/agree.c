/*
 * agree.c: do all members of a collective by messages mean the same? If not, in the words of a backend that does it itself.
 *
 * Words of 8 bytes go round before each collective. Only where they differ everybody also hears of everybody what it
 * calls, and where: so all members find the same two, and tell the same. Where others are the inner backend's, that compares.
 */
#include "run.h"
#include "../backends/common/claim.h"
#include "../backends/common/splits.h"

#include <string.h>

#define ASKED 5 /* words */
#define CLAIM_WORDS ((sizeof(struct claim) + 7) / 8)

/* Does everybody bring the same words? Round a ring: if all neighbours agree, all agree. And where two do not, everybody hears it, as in
 * barrier_spread: else some would go on, and lose those that do not. */
static bool agree_ask(struct communicator *comm, const int64_t *words)
{
    int n = comm->size;
    int64_t *mine = comm_scratch(comm, ASKED), *theirs = comm_scratch(comm, ASKED), differs = 0;
    comm_copy(comm, mine, words, ASKED);
    comm_copy(comm, theirs, words, ASKED);
    if (n > 1)
        comm_swap(comm, ring_next(comm->rank, n), mine, ASKED, ring_previous(comm->rank, n), theirs, ASKED);
    if (comm->status == DIST_OK)
        differs = memcmp(mine, theirs, ASKED * sizeof *mine) != 0;
    for (int far = 1; far < n && comm->status == DIST_OK; far *= 2) {
        *mine = differs;
        comm_swap(comm, ring_turn(comm->rank + far, n), mine, 1, ring_turn(comm->rank - far, n), theirs, 1);
        if (comm->status == DIST_OK)
            differs |= *theirs;
    }
    return comm->status != DIST_OK || !differs;
}

static const struct claim *agree_claim_of(const int64_t *all, int member)
{
    return (const struct claim *)(const void *)(all + (size_t)member * CLAIM_WORDS);
}

/* They differ: in what? The first member is compared with each other one. */
static void agree_tell(struct run *run)
{
    struct communicator *comm = &run->comm;
    struct dist_work *op = run->op;
    const int *ranks = op->group->ranks;
    union {
        struct claim claim;
        int64_t words[CLAIM_WORDS];
    } mine = { .words = { 0 } };
    mine.claim = claim_of(op);
    int64_t *all = comm_scratch(comm, (int64_t)CLAIM_WORDS * comm->size);
    ring_all_gather(comm, all, mine.words, (int64_t)CLAIM_WORDS);
    for (int i = 1; comm->status == DIST_OK && i < comm->size; i++)
        if (claims_differ(agree_claim_of(all, 0), agree_claim_of(all, i)))
            comm->status =
                claims_tell(op, ranks[0], agree_claim_of(all, 0), ranks[i], agree_claim_of(all, i));
}

/* Of everybody's lists, one behind the other; before them stands how many there are. */
static const int64_t *agree_splits_of(const void *lists, int member)
{
    const int64_t *all = lists;
    return all + 1 + 2 * member * all[0];
}

/* All hear all splits: so all find the same. */
static void agree_on_splits(struct run *run)
{
    struct communicator *comm = &run->comm;
    struct clash clash;
    int64_t *all = comm_scratch(comm, 1 + 2 * (int64_t)comm->size * comm->size);
    if (all)
        *all = comm->size;
    ring_all_gather(comm, all ? all + 1 : NULL, run->op->splits, 2 * comm->size);
    if (comm->status == DIST_OK && splits_clash(run->op->group, agree_splits_of, all, &clash))
        comm->status = splits_tell(run->op, &clash);
}

/* ---- among those that the inner backend does ---------------------------------------------- */

void run_meet(struct run *run)
{
    struct algorithms *outer = run->outer;
    run->meets = outer->inner->meet && !outer->all && !backend_does(outer->inner, run->op->call);
    if (!run->meets)
        return;
    work_copy_asked(&run->meeting, run->op);
    run->meeting.async = true;
    outer->inner->meet(outer->state, &run->meeting); /* a failure is told by its end */
}

/* monitored_barrier is for finding out who has not come: there nobody is asked first (monitored.c). */
void run_agree(struct run *run)
{
    struct dist_work *op = run->op;
    int64_t words[ASKED] = { op->call, op->block, op->type, op->op, op->peer };
    if (op->call == CALL_MONITORED_BARRIER)
        return;
    run->comm.type = DIST_I64;
    if (run->meets)
        run_finish(run, &run->meeting);
    else if (!agree_ask(&run->comm, words))
        agree_tell(run);
    if (op->splits)
        agree_on_splits(run);
    run->comm.type = op->type;
}
