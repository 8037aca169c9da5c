/*
 * quick_meet.c: the quick way of a blocking barrier and of a tiny all_reduce in the world: write the contribution, look at the peers',
 * add up. The same accesses in the same order as barrier.c and plans.c have, without an op. Who is through with its back-off, or
 * finds some that differ, goes the long way from there.
 *
 * Why it is quick: the contribution is written in one go, with the arrival. A first word written earlier would bring the line over
 * while the peers are already looking at it, and they would take it away before the second: 60 ns.
 */
#include "channel.h"
#include "steps.h"
#include "../../devices/host.h"

static inline void quick_meet_write(struct contribution *contribution, enum call call, const tensor *t,
                                    enum dist_op op, uint32_t site)
{
    contribution->call = (uint8_t)call;
    contribution->type = (uint8_t)t->type;
    contribution->op = (uint8_t)op;
    contribution->root = contribution->listens = 0;
    contribution->site = site;
    contribution->count = (uint64_t)t->numel;
    envelope_put(contribution->data, t->data, t->bytes);
}

/* Does this one ask for the same? Mine is not read back: it may still be on its way to memory. */
static inline bool quick_meet_agrees(const struct contribution *contribution, enum call call, const tensor *t,
                                     enum dist_op op)
{
    return contribution->call == call && contribution->type == (uint8_t)t->type &&
           contribution->op == (uint8_t)op && contribution->root == 0 &&
           contribution->count == (uint64_t)t->numel;
}

static inline enum quick quick_meet_all(struct shm_state *shm, enum call call, tensor *t, enum dist_op op,
                                        uint32_t site)
{
    struct shm_group *g = &shm->world_group;
    if (engine_is_shared(shm) || t->bytes > CONTRIBUTION_BYTES || shm->size > CROWD)
        return QUICK_NOT;
    g->seq++;
    struct contribution *contribution = barrier_contribution(g, shm->rank, g->seq);
    barrier_approach(shm, g);
    quick_meet_write(contribution, call, t, op, site);
    barrier_arrive(shm, g);
    if (!barrier_soon(g))
        return QUICK_BEGUN;
    const void *inputs[CROWD];
    for (int i = 0; i < shm->size; i++) {
        const struct contribution *theirs = barrier_contribution(g, i, g->seq);
        inputs[i] = i == shm->rank ? t->data : theirs->data;
        if (i != shm->rank && !quick_meet_agrees(theirs, call, t, op))
            return QUICK_BEGUN;
    }
    if (t->numel > 0)
        host_reduce(t->data, inputs, shm->size, t->numel, t->type, op);
    return QUICK_DONE;
}

enum quick shm_quick_sum(void *shm, tensor *t, enum dist_op op, uint32_t site)
{
    return quick_meet_all(shm, CALL_ALL_REDUCE, t, op, site);
}

enum quick shm_quick_barrier(void *shm, uint32_t site)
{
    tensor nothing = { .type = DIST_F32 };
    return quick_meet_all(shm, CALL_BARRIER, &nothing, DIST_SUM, site);
}
