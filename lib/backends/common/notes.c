/* notes.c: what a rank has open, written down for the watcher. */
#include "notes.h"

static struct note_op *notes_next_note(struct rank_notes *notes)
{
    uint32_t count = atomic_load_explicit(&notes->open_count, memory_order_relaxed);
    if (notes_full(notes))
        return NULL;
    atomic_store_explicit(&notes->open_count, count + 1, memory_order_relaxed);
    return &notes->open[count];
}

struct note_op *notes_add(struct rank_notes *notes, const struct dist_work *op, bool arrived, uint32_t seq)
{
    struct note_op *note = notes_next_note(notes);
    if (!note)
        return NULL;
    *note = work_note(op);
    note->arrived = !op->p2p && arrived;
    note->seq = op->p2p ? 0 : seq;
    note->members = op->group->members;
    return note;
}

void notes_add_message(struct rank_notes *notes, struct note_op message)
{
    struct note_op *note = notes_next_note(notes);
    message.kind = NOTE_UNEXPECTED;
    if (note)
        *note = message;
}

void notes_add_claim(struct rank_notes *notes, const struct claim *claim, int from, uint32_t site)
{
    notes_add_message(notes, (struct note_op){ .type = claim->type,
                                               .group = claim->group,
                                               .site = site,
                                               .peer = from,
                                               .tag = claim->root,
                                               .count = claim->count });
}
