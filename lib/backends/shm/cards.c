/* cards.c: what the members of a group write on their cards, and whether these agree. */
#include "shm.h"
#include "../common/claim.h"
#include "../common/splits.h"

#include <stdio.h>

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

/* How card b differs from card a, as the two halves of "rank 2 <b>, rank 0 <a>". False: not at all. */
static bool differ(const struct card *a, const struct card *b, char *say_a, char *say_b, size_t size)
{
    if (a->call != b->call) {
        snprintf(say_a, size, "calls %s", call_name(a->call));
        snprintf(say_b, size, "calls %s", call_name(b->call));
    } else if (a->call == CALL_NEW_GROUP && a->count != b->count) {
        snprintf(say_a, size, "lists other ranks");
        snprintf(say_b, size, "lists these");
    } else if (a->type != b->type) {
        snprintf(say_a, size, "has a tensor of %s", dtype_name(a->type));
        snprintf(say_b, size, "has a tensor of %s", dtype_name(b->type));
    } else if (a->count != b->count) {
        claim_say_count(say_a, size, (int64_t)a->count);
        claim_say_count(say_b, size, (int64_t)b->count);
    } else if (a->root != b->root) {
        snprintf(say_a, size, "names %d as the root", a->root);
        snprintf(say_b, size, "names %d as the root", b->root);
    } else if (a->op != b->op) {
        snprintf(say_a, size, "asks for %s", op_name(a->op));
        snprintf(say_b, size, "asks for %s", op_name(b->op));
    } else {
        return false;
    }
    return true;
}

static const int64_t *splits_in_slot(const void *group, int member)
{
    const struct shm_group *g = group;
    return board_slot(g, member, g->seq);
}

int cards_check(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    const struct card *first = board_card(g, 0, g->seq);
    for (int i = 1; i < g->group->size; i++) {
        const struct card *card = board_card(g, i, g->seq);
        char a[48], b[48];
        if (!differ(first, card, a, b, sizeof a))
            continue;
        const struct site *at_a = world_site_at(room->world, g->group->ranks[0], first->site);
        const struct site *at_b = world_site_at(room->world, g->group->ranks[i], card->site);
        snprintf(op->why, sizeof op->why, "rank %d %s (%s:%d), rank %d %s (%s:%d)", g->group->ranks[0], a,
                 at_a->file, at_a->line, g->group->ranks[i], b, at_b->file, at_b->line);
        op->speaker = g->group->ranks[i] + 1;
        return op->status = DIST_ERR_MISMATCH;
    }
    struct clash clash;
    if (op->splits && splits_clash(g->group, splits_in_slot, g, &clash))
        return splits_tell(op, &clash);
    return DIST_OK;
}
