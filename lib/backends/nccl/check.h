/*
 * check.h: over several machines, where ranks share no memory: those that an op concerns show each other what they claim of it, before
 * it is launched.
 */
#ifndef NCCL_CHECK_H
#define NCCL_CHECK_H

#include "room.h"
#include "../common/claim.h"

/* Two ranks show each other their claims: of a message, or of a collective. `first`: this rank speaks first. */
struct meeting {
    struct dist_work *op;
    int peer;
    bool first, met;
    struct claim mine, theirs;
};

/* Before these are launched (messages that go together, or one collective): does everybody mean the same? Those that do
 * not are over, with op->status. */
void check_agree(struct nccl_room *room, struct op_queue *ops);
bool check_is_due(const struct nccl_room *room);

/* Meet. Status: DIST_OK; or the job's failure. */
int far_meet(struct nccl_room *room, struct meeting *meetings, int count);

#endif
