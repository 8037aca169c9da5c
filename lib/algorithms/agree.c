/*
 * agree.c: do all members of a collective by messages mean the same? If not, in the words of a backend that does it itself.
 *
 * Words of 8 bytes go round before each collective (comm_agree). Only where they differ everybody also hears of everybody what it
 * calls, and where: so all members find the same two, and tell the same.
 */
#include "run.h"
#include "../backends/common/claim.h"
#include "../backends/common/splits.h"

#define CLAIM_WORDS ((sizeof(struct claim) + 7) / 8)

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
    enum dist_type type = comm->type;
    union {
        struct claim claim;
        int64_t words[CLAIM_WORDS];
    } mine = { .words = { 0 } };
    mine.claim = claim_of(op);
    comm->status = DIST_OK;
    comm->type = DIST_I64;
    int64_t *all = comm_scratch(comm, (int64_t)CLAIM_WORDS * comm->size);
    ring_all_gather(comm, all, mine.words, (int64_t)CLAIM_WORDS);
    comm->type = type;
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
    enum dist_type type = comm->type;
    struct clash clash;
    comm->type = DIST_I64;
    int64_t *all = comm_scratch(comm, 1 + 2 * (int64_t)comm->size * comm->size);
    if (all)
        *all = comm->size;
    ring_all_gather(comm, all ? all + 1 : NULL, run->op->splits, 2 * comm->size);
    comm->type = type;
    if (comm->status == DIST_OK && splits_clash(run->op->group, agree_splits_of, all, &clash))
        comm->status = splits_tell(run->op, &clash);
}

/* monitored_barrier is for finding out who has not come: there nobody is asked. */
void run_agree(struct run *run)
{
    struct dist_work *op = run->op;
    int64_t words[5] = { op->call, op->block, op->type, op->op, op->peer };
    if (op->call == CALL_MONITORED_BARRIER)
        return;
    comm_agree(&run->comm, words, 5);
    if (run->comm.status == DIST_ERR_MISMATCH && !op->why.text[0])
        agree_tell(run);
    if (op->splits)
        agree_on_splits(run);
}
