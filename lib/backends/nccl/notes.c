/* notes.c: what this rank waits for, pinned to its door before it sleeps (launch/note.h). */
#include "desk.h"

static struct note_op *next_note(struct rank_notes *notes)
{
    uint32_t count = atomic_load_explicit(&notes->open_count, memory_order_relaxed);
    if (count == NOTE_OPS)
        return NULL;
    atomic_store_explicit(&notes->open_count, count + 1, memory_order_relaxed);
    return &notes->open[count];
}

static void note_op(struct nccl_room *room, const struct dist_work *op, bool shown)
{
    const struct nccl_group *g = op->group->room;
    struct note_op *note = next_note(room->notes);
    if (!note)
        return;
    *note = (struct note_op){ .kind = !op->p2p    ? NOTE_COLLECTIVE
                                      : op->sends ? NOTE_SEND
                                                  : NOTE_RECV,
                              .type = (uint8_t)op->type,
                              .arrived = !op->p2p && shown,
                              .call = (uint8_t)op->call,
                              .group = (uint16_t)op->group->id,
                              .size = (uint16_t)op->group->size,
                              .site = op->site,
                              .peer = op->p2p || !has_root(op) ? op->peer : op->group->ranks[op->peer],
                              .tag = op->tag,
                              .seq = shown ? op->phase : g->seq + 1,
                              .stream = op->gpu ? op->stream : 0,
                              .count = op->p2p ? (op->sends ? op->in.count : op->out.count) : op->block,
                              .members = g->members ? world_offset(&room->self->world, g->members) : 0 };
}

static void note_queue(struct nccl_room *room, const struct op_queue *queue, const struct dist_work *waited,
                       bool first)
{
    for (const struct dist_work *op = queue->first; op; op = op->next)
        if ((op == waited) == first && op->step != STEP_ASIDE)
            note_op(room, op, queue == &room->shown);
}

static void note_letters(struct nccl_room *room)
{
    struct desk *desk = room->desk;
    desk_lock(desk);
    for (uint32_t at = desk->trays[room->rank].letters.first; at; at = slip_at(desk, at)->next) {
        const struct slip *slip = slip_at(desk, at);
        struct note_op *note = next_note(room->notes);
        if (!note)
            break;
        *note = (struct note_op){ .kind = NOTE_LETTER,
                                  .type = slip->card.type,
                                  .group = slip->card.group,
                                  .site = slip->site,
                                  .peer = slip->rank,
                                  .tag = slip->card.root,
                                  .count = slip->card.count };
    }
    desk_unlock(desk);
}

/* While NCCL is at work, it is not the other ranks that hold us up: DIST_TIMEOUT ends that. */
void desk_pin(struct nccl_room *room, const struct dist_work *waited)
{
    atomic_store(&room->notes->open_count, 0);
    if (room->flying.first || room->agreed.first)
        atomic_store(&room->slot->sleep.timed, 1);
    note_queue(room, &room->shown, waited, true);
    note_queue(room, &room->posted, waited, true);
    note_queue(room, &room->shown, waited, false);
    note_queue(room, &room->posted, waited, false);
    note_letters(room);
}
