/* notes.c: what this rank waits for, noted before it sleeps (launch/note.h). */
#include "room.h"
#include "../common/notes.h"

static void notes_op(struct transport_room *room, const struct dist_work *op)
{
    const struct transport_group *g = op->group->room;
    notes_add(room->notes, op, true, op->phase,
              g->members ? world_offset(&room->self->world, g->members) : 0);
}

static void notes_queue(struct transport_room *room, const struct op_queue *queue,
                        const struct dist_work *waited, bool first)
{
    for (const struct dist_work *op = queue->first; op && !notes_full(room->notes); op = op->next)
        if ((op == waited) == first && op->step != STEP_ASIDE)
            notes_op(room, op);
}

static void notes_all(struct transport_room *room, const struct dist_work *waited, bool first)
{
    notes_queue(room, &room->members, waited, first);
    notes_queue(room, &room->sends, waited, first);
    for (const struct match *at = room->posted.first; at && !notes_full(room->notes); at = at->next)
        if ((match_receive(at) == waited) == first)
            notes_op(room, match_receive(at));
}

void transport_notes_write(struct transport_room *room, const struct dist_work *waited)
{
    notes_clear(room->notes);
    notes_all(room, waited, true);
    notes_all(room, waited, false);
    for (const struct match *at = room->parked.first; at && !notes_full(room->notes); at = at->next) {
        const struct parked *parked = (const struct parked *)at;
        const struct claim *claim = &parked->wire.claim;
        notes_add_message(room->notes, (struct note_op){ .type = claim->type,
                                                         .group = claim->group,
                                                         .site = parked->wire.site,
                                                         .peer = parked->from,
                                                         .tag = claim->root,
                                                         .count = claim->count });
    }
}
