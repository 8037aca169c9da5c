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

#define NOBODY UINT32_MAX

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

    /* For races (race.c): the calls are gone through as they went. What a rank knows of the others' progress is a vector, by
     * rank: how many entries of its list surely came before. NULL: not for races. */
    uint32_t **clock;  /* per rank: a vector for each of its entries, as it came to it; */
    uint32_t *now;     /* and its present one */
    uint32_t **over;   /* per rank and entry: the entry at which it knew that the operation was over */
    uint64_t buffered; /* bytes: of these a send returns before it has met its receive */
};

static inline const struct log_entry *entry_of(const struct replay *replay, int rank, uint32_t entry)
{
    return &replay->logs[rank]->entries[entry];
}

static inline bool key_same(const struct key *a, const struct key *b)
{
    return a->src == b->src && a->dst == b->dst && a->group == b->group && a->tag == b->tag;
}

static inline uint32_t *clock_of(const struct replay *replay, int rank, uint32_t entry)
{
    return replay->clock[rank] + (size_t)entry * (size_t)replay->size;
}

/* A send that ended before it had met its receive? */
static inline bool was_buffered(const struct replay *replay, const struct log_entry *e)
{
    return e->kind == LOG_SEND && (uint64_t)e->count * dtype_size(e->type) <= replay->buffered;
}

/* The entries that agree with this key, from *begin to the end that is given back; of messages the sends come first. */
size_t replay_find(const struct replay *replay, const struct key *key, size_t *begin);

/* race.c. False: no memory. `races_arrive`: the rank has come to its present entry; `races_pass`: it leaves it. */
#define RACES_ROOM ((uint64_t)1 << 24) /* numbers in all vectors */
bool races_open(struct replay *replay);
void races_close(struct replay *replay);
void races_arrive(struct replay *replay, int rank);
void races_pass(struct replay *replay, int rank);
void races_tell(const struct world *world, const struct replay *replay);

void replay_view(const struct log_entry *e, struct view *view); /* luck.c: as if the rank waited there */

/* The ranks are stuck at replay->at: print the warning. */
void luck_tell(const struct world *world, const struct replay *replay);

#endif
