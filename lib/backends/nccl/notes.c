/* notes.c: what this rank waits for, pinned to its door before it sleeps (launch/note.h). */
#include "agree.h"
#include "../common/notes.h"

static void note_op(struct nccl_room *room, const struct dist_work *op, bool shown)
{
    const struct nccl_group *g = op->group->room;
    notes_add(room->notes, op, shown, shown ? op->phase : g->seq + 1,
              g->members ? world_offset(&room->self->world, g->members) : 0);
}

static void note_queue(struct nccl_room *room, const struct op_queue *queue, const struct dist_work *waited,
                       bool first)
{
    for (const struct dist_work *op = queue->first; op; op = op->next)
        if ((op == waited) == first && op->step != STEP_ASIDE)
            note_op(room, op, queue == &room->shown);
}

/* While NCCL is at work, it is not the other ranks that hold us up: DIST_TIMEOUT ends that. */
void nccl_notes_write(struct nccl_room *room, const struct dist_work *waited)
{
    notes_clear(room->notes);
    if (room->flying.first || room->agreed.first)
        atomic_store(&room->slot->sleep.timed, 1);
    note_queue(room, &room->shown, waited, true);
    note_queue(room, &room->posted, waited, true);
    note_queue(room, &room->shown, waited, false);
    note_queue(room, &room->posted, waited, false);
    agree_lock(room->shared);
    table_note(room->table, room->rank, room->notes);
    agree_unlock(room->shared);
}
