/* notes.c: what this rank waits for, written down before it sleeps (launch/note.h). */
#include "agree.h"
#include "../common/notes.h"

static void nccl_notes_op(struct nccl_state *nccl, const struct dist_work *op, bool shown)
{
    const struct nccl_group *g = op->group->state;
    uint64_t members = g->members ? world_offset(&nccl->self->world, g->members) : 0;
    struct note_op *note = notes_add(nccl->notes, op, shown, shown ? op->phase : g->seq + 1, members);
    if (note)
        note->behind = op->p2p && !shown;
}

static void nccl_notes_queue(struct nccl_state *nccl, const struct op_queue *queue,
                             const struct dist_work *waited, bool first)
{
    for (const struct dist_work *op = queue->first; op; op = op->next)
        if ((op == waited) == first && op->step != STEP_EAGER_COPY)
            nccl_notes_op(nccl, op, queue == &nccl->shown);
}

/* While NCCL is at work, it is not the other ranks that hold us up: DIST_TIMEOUT ends that. */
void nccl_notes_write(struct nccl_state *nccl, const struct dist_work *waited)
{
    struct sleep_note *note = launch_note(nccl->self);
    notes_clear(nccl->notes);
    if (!nccl->shared)
        return;
    if (note && (nccl->flying.first || nccl->agreed.first))
        atomic_store(&note->timed, 1);
    nccl_notes_queue(nccl, &nccl->shown, waited, true);
    nccl_notes_queue(nccl, &nccl->posted, waited, true);
    nccl_notes_queue(nccl, &nccl->shown, waited, false);
    nccl_notes_queue(nccl, &nccl->posted, waited, false);
    nccl_agree_lock(nccl->shared);
    table_note(nccl->shared, nccl->rank, nccl->notes);
    nccl_agree_unlock(nccl->shared);
}
