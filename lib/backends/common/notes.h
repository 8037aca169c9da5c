/* notes.h: what a rank waits for, noted before it sleeps, for the watcher and others to read (launch/note.h). */
#ifndef COMMON_NOTES_H
#define COMMON_NOTES_H

#include "claim.h"

static inline void notes_clear(struct rank_notes *notes)
{
    atomic_store_explicit(&notes->open_count, 0, memory_order_relaxed);
}

static inline bool notes_full(const struct rank_notes *notes)
{
    return atomic_load_explicit(&notes->open_count, memory_order_relaxed) == NOTE_OPS;
}

/* An open op. Of a collective: whether the others see it already, and its number in the group. NULL: the notes are full. */
struct note_op *notes_add(struct rank_notes *notes, const struct dist_work *op, bool arrived, uint32_t seq);

/* A message that has come and that no receive has asked for; also by what its sender says of it. */
void notes_add_message(struct rank_notes *notes, struct note_op message);
void notes_add_claim(struct rank_notes *notes, const struct claim *claim, int from, uint32_t site);

#endif
