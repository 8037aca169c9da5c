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

struct note_op *notes_add(struct rank_notes *notes, const struct dist_work *op, bool arrived, uint32_t seq,
                          uint64_t members)
{
    struct note_op *note = notes_next_note(notes);
    if (!note)
        return NULL;
    bool root = !op->p2p && call_has_root(op->call);
    *note = (struct note_op){ .kind = !op->p2p    ? NOTE_COLLECTIVE
                                      : op->sends ? NOTE_SEND
                                                  : NOTE_RECV,
                              .type = (uint8_t)op->type,
                              .arrived = !op->p2p && arrived,
                              .call = (uint8_t)op->call,
                              .among = atomic_load_explicit(&op->among, memory_order_relaxed),
                              .group = (uint16_t)op->group->id,
                              .size = (uint16_t)op->group->size,
                              .site = op->site,
                              .peer = root ? op->group->ranks[op->peer] : op->peer,
                              .tag = op->tag,
                              .seq = op->p2p ? 0 : seq,
                              .stream = op->gpu ? op->stream : 0,
                              .count = op->p2p      ? (op->sends ? op->in.count : op->out.count)
                                       : op->splits ? op->in.count
                                                    : op->block,
                              .members = members };
    return note;
}

void notes_add_message(struct rank_notes *notes, struct note_op message)
{
    struct note_op *note = notes_next_note(notes);
    message.kind = NOTE_UNEXPECTED;
    if (note)
        *note = message;
}
