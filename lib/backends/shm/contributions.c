/* contributions.c: what the members of a group bring to a collective, and whether they call the same. */
#include "engine.h"
#include "../common/claim.h"
#include "../common/splits.h"

void contributions_write(struct shm_state *shm, struct shm_group *g, const struct dist_work *op)
{
    struct contribution *contribution = barrier_contribution(g, g->group->rank, op->ticket);
    contribution->call = (uint8_t)op->call;
    contribution->type = (uint8_t)op->type;
    contribution->op = (uint8_t)op->op;
    contribution->root = (int16_t)op->peer;
    contribution->listens = op->async;
    contribution->site = op->site;
    contribution->count = (uint64_t)op->block;
    contribution->in = world_offset(shm->world, op->in.data);
    contribution->out = world_offset(shm->world, op->out.data);
}

/* Of every member, in every collective: so nothing is put into words yet. */
static bool contributions_agree(const struct contribution *a, const struct contribution *b)
{
    return a->call == b->call && a->type == b->type && a->op == b->op && a->root == b->root &&
           a->count == b->count;
}

static struct claim contributions_claim(const struct shm_state *shm, const struct dist_group *group,
                                        const struct contribution *contribution, int member)
{
    const struct site *site = world_site_at(shm->world, group->ranks[member], contribution->site);
    struct claim claim = { .side = SIDE_MEMBER,
                           .call = contribution->call,
                           .type = contribution->type,
                           .op = contribution->op,
                           .root = group->ranks[contribution->root],
                           .count = (int64_t)contribution->count };
    claim_stands(&claim, site->file, site->line);
    return claim;
}

/* Members 0 and i do not agree. */
static int contributions_tell(const struct shm_state *shm, const struct shm_group *g, struct dist_work *op,
                              int i)
{
    const struct dist_group *group = g->group;
    struct claim a = contributions_claim(shm, group, barrier_contribution(g, 0, g->seq), 0),
                 b = contributions_claim(shm, group, barrier_contribution(g, i, g->seq), i);
    return claims_tell(op, group->ranks[0], &a, group->ranks[i], &b);
}

static const int64_t *contributions_splits_of(const void *group, int member)
{
    const struct shm_group *g = group;
    return barrier_slot(g, member, g->seq);
}

int contributions_check(struct shm_state *shm, struct shm_group *g, struct dist_work *op)
{
    for (int i = 1; i < g->group->size; i++)
        if (!contributions_agree(barrier_contribution(g, 0, g->seq), barrier_contribution(g, i, g->seq)))
            return contributions_tell(shm, g, op, i);
    struct clash clash;
    if (op->splits && splits_clash(g->group, contributions_splits_of, g, &clash))
        return splits_tell(op, &clash);
    return DIST_OK;
}
