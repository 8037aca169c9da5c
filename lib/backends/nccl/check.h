/*
 * check.h: over several machines, where ranks share no memory: those that an op concerns show each other what they claim of it, before
 * it is launched.
 */
#ifndef NCCL_CHECK_H
#define NCCL_CHECK_H

#include "state.h"
#include "../common/claim.h"

/* Two ranks show each other what they claim: of a message, or of a collective. `first`: this rank speaks first. */
struct comparison {
    struct dist_work *op;
    int peer;
    bool first;
    struct claim mine, theirs;
};

/* Before these are launched (messages that go together, or one collective): does everybody mean the same? Those that do
 * not are over, with op->status. */
void nccl_check_agree(struct nccl_state *nccl, struct op_queue *ops);
bool nccl_check_is_due(const struct nccl_state *nccl);

/* exchange.c: fill in `theirs`. Status: DIST_OK; or the job's failure. */
int nccl_exchange_claims(struct nccl_state *nccl, struct comparison *pairs, int count);

#endif
