/* replay.h: a run that has ended well, as replay.c goes through it again. */
#ifndef DIAGNOSE_REPLAY_H
#define DIAGNOSE_REPLAY_H

#include "../pairing.h"
#include "diagnose.h"
#include "log.h"

#define NOBODY UINT32_MAX

/* One rank's list. */
struct replayed {
    const struct call_log *log;
    uint32_t count; /* entries */
    uint32_t at;    /* the entry that it has come to */
    size_t first;   /* where its entries begin among those of all ranks, each list's end counted */
};

/* What becomes of an entry. */
struct met {
    uint32_t partner; /* messages: the other side's entry, or NOBODY; collectives: place in halves */
    uint32_t over;    /* the entry at which its rank knows that the operation is over; NOBODY: it does not */
};

struct replay {
    int size;
    struct replayed *ranks;
    struct met *met;   /* per entry */
    uint32_t *arrived; /* per place in halves: members that have come to this collective */
    struct half *
        halves; /* all entries but the waits, by what must agree for two to belong together; collectives: src and dst are -1, */
    size_t half_count; /* and their tag is which one of the group */
    uint64_t buffered; /* bytes: of these a send returns before it has met its receive */

    /* For races (race.c): the calls are gone through as they went. What a rank knows of the others' progress is a vector, by
     * rank: how many entries of its list surely came before. NULL: not for races. */
    uint32_t *clock; /* per entry, and for each list's end: a vector, as its rank came to it */
};

static inline const struct log_entry *entry_of(const struct replay *replay, int rank, uint32_t entry)
{
    return &replay->ranks[rank].log->entries[entry];
}

static inline struct met *met_of(const struct replay *replay, int rank, uint32_t entry)
{
    return &replay->met[replay->ranks[rank].first + entry];
}

/* What a wait waits for; else the entry itself. */
static inline uint32_t entry_begun(const struct replay *replay, int rank, uint32_t entry)
{
    const struct log_entry *e = entry_of(replay, rank, entry);
    return e->waits_for ? e->waits_for - 1 : entry;
}

/* A send that ended before it had met its receive? */
static inline bool was_buffered(const struct replay *replay, const struct log_entry *e)
{
    return e->op.kind == NOTE_SEND && (uint64_t)e->op.count * dtype_size(e->op.type) <= replay->buffered;
}

/* race.c: the rank leaves its present entry for the next; and tell. */
void races_pass(struct replay *replay, int rank);
void races_tell(const struct world *world, const struct replay *replay);

/* A rank as if it waited there. */
void replay_view(const struct log_entry *e, struct view *view);

#endif
