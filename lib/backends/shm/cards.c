/* cards.c: what the members of a group write on their cards, and whether these agree. */
#include "shm.h"
#include "../common/claim.h"
#include "../common/splits.h"

void card_pin(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct card *card = board_card(g, g->group->rank, g->seq);
    card->call = (uint8_t)op->call;
    card->type = (uint8_t)op->type;
    card->op = (uint8_t)op->op;
    card->root = op->peer;
    card->site = op->site;
    card->count = (uint64_t)op->block;
    card->in = world_offset(room->world, op->in.data);
    card->out = world_offset(room->world, op->out.data);
}

/* Of every member, in every collective: so nothing is put into words yet. */
static bool cards_agree(const struct card *a, const struct card *b)
{
    return a->call == b->call && a->type == b->type && a->op == b->op && a->root == b->root &&
           a->count == b->count;
}

static struct claim cards_claim(const struct shm_room *room, const struct dist_group *group,
                                const struct card *card, int member)
{
    const struct site *site = world_site_at(room->world, group->ranks[member], card->site);
    struct claim claim = { .side = SIDE_MEMBER,
                           .call = card->call,
                           .type = card->type,
                           .op = card->op,
                           .root = group->ranks[card->root],
                           .count = (int64_t)card->count };
    claim_stands(&claim, site->file, site->line);
    return claim;
}

/* Members 0 and i do not agree. */
static int cards_tell(const struct shm_room *room, const struct shm_group *g, struct dist_work *op, int i)
{
    const struct dist_group *group = g->group;
    struct claim a = cards_claim(room, group, board_card(g, 0, g->seq), 0),
                 b = cards_claim(room, group, board_card(g, i, g->seq), i);
    return claims_tell(op, group->ranks[0], &a, group->ranks[i], &b);
}

static const int64_t *cards_splits_of(const void *group, int member)
{
    const struct shm_group *g = group;
    return board_slot(g, member, g->seq);
}

int cards_check(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    for (int i = 1; i < g->group->size; i++)
        if (!cards_agree(board_card(g, 0, g->seq), board_card(g, i, g->seq)))
            return cards_tell(room, g, op, i);
    struct clash clash;
    if (op->splits && splits_clash(g->group, cards_splits_of, g, &clash))
        return splits_tell(op, &clash);
    return DIST_OK;
}
