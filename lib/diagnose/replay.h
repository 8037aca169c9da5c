/* replay.h: a run that has ended well, as replay.c goes through it again, and luck.c tells of it. */
#ifndef DIAGNOSE_REPLAY_H
#define DIAGNOSE_REPLAY_H

#include "diagnose.h"
#include "log.h"

/* An entry, by what must agree for two to belong together. */
struct key {
    int32_t src, dst; /* of a message; collectives: -1 */
    uint32_t group;
    uint32_t tag;      /* collectives: which one of the group */
    uint32_t receives; /* 0: the send */
    uint32_t rank;
    uint32_t entry;
};

struct replay {
    int size;
    struct call_log **logs;
    uint32_t *counts; /* per rank: entries */
    uint32_t *at;     /* per rank: the entry that it has come to */
    uint32_t **
        partner; /* per rank and entry: messages: the other side's entry, or NOBODY; collectives: place in keys */
    uint32_t *arrived; /* per place in keys: members that have come to this collective */
    struct key *keys;
    size_t key_count;
};

static inline const struct log_entry *entry_of(const struct replay *replay, int rank, uint32_t entry)
{
    return &replay->logs[rank]->entries[entry];
}

static inline bool key_same(const struct key *a, const struct key *b)
{
    return a->src == b->src && a->dst == b->dst && a->group == b->group && a->tag == b->tag;
}

/* The ranks are stuck at replay->at: print the warning. */
void luck_tell(const struct world *world, const struct replay *replay);

#endif
