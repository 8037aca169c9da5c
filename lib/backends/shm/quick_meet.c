/*
 * quick_meet.c: the quick way of a blocking barrier and of a tiny all_reduce in the world: pin the card, look at the peers' cards,
 * add up. The same accesses in the same order as board.c and plans.c have, without an op. Who loses patience, or
 * finds cards that differ, goes the long way from there.
 *
 * Why it is quick: the card is written in one go, with the arrival. A first word written earlier would bring the line over
 * while the peers are already looking at it, and they would take it away before the second: 60 ns.
 */
#include "channel.h"
#include "steps.h"
#include "../../devices/host.h"

static inline void quick_meet_pin(struct card *card, enum call call, const tensor *t, enum dist_op op,
                                  uint32_t site)
{
    card->call = (uint8_t)call;
    card->type = (uint8_t)t->type;
    card->op = (uint8_t)op;
    card->root = 0;
    card->site = site;
    card->count = (uint64_t)t->numel;
    envelope_put(card->text, t->data, t->bytes);
}

/* Does this card ask for the same? Mine is not read back: it may still be on its way to memory. */
static inline bool quick_meet_agrees(const struct card *card, enum call call, const tensor *t,
                                     enum dist_op op)
{
    return card->call == call && card->type == (uint8_t)t->type && card->op == (uint8_t)op &&
           card->root == 0 && card->count == (uint64_t)t->numel;
}

static inline enum quick quick_meet_meet(struct shm_room *room, enum call call, tensor *t, enum dist_op op,
                                         uint32_t site)
{
    struct shm_group *g = &room->world_group;
    if (engine_is_shared(room) || t->bytes > CARD_BYTES || room->size > CROWD)
        return QUICK_NOT;
    g->seq++;
    struct card *card = board_card(g, room->rank, g->seq);
    board_approach(room, g);
    quick_meet_pin(card, call, t, op, site);
    board_arrive(room, g);
    if (!board_soon(g))
        return QUICK_BEGUN;
    const void *inputs[CROWD];
    for (int i = 0; i < room->size; i++) {
        const struct card *theirs = board_card(g, i, g->seq);
        inputs[i] = i == room->rank ? t->data : theirs->text;
        if (i != room->rank && !quick_meet_agrees(theirs, call, t, op))
            return QUICK_BEGUN;
    }
    if (t->numel > 0)
        host_reduce(t->data, inputs, room->size, t->numel, t->type, op);
    return QUICK_DONE;
}

enum quick shm_quick_sum(void *room, tensor *t, enum dist_op op, uint32_t site)
{
    return quick_meet_meet(room, CALL_ALL_REDUCE, t, op, site);
}

enum quick shm_quick_barrier(void *room, uint32_t site)
{
    tensor nothing = { .type = DIST_F32 };
    return quick_meet_meet(room, CALL_BARRIER, &nothing, DIST_SUM, site);
}
