/*
 * match.h: what waits for its other half: receives that were posted, and messages that no receive has asked for yet.
 *
 * Both stand in the order in which they came, and in a table by what must agree: peer, group and tag in one number. Of
 * several with the same key the first counts. However many there are, adding, finding and removing take a few steps.
 */
#ifndef COMMON_MATCH_H
#define COMMON_MATCH_H

#include "../../backend.h"

#define MATCH_FEW 64 /* buckets that a table has without asking for memory */

struct match_table {
    struct match *first, *last; /* as they came */
    size_t count;
    uint64_t added; /* ever */
    unsigned bits;  /* 1 << bits buckets */
    struct match_bucket {
        struct match *first, *last;
    } * buckets, few[MATCH_FEW];
};

static inline uint64_t match_key(int peer, int group, int tag)
{
    uint16_t who = peer == DIST_ANY_SOURCE ? 0 : (uint16_t)(peer + 1);
    return (uint64_t)(uint32_t)tag << 32 | (uint64_t)(uint16_t)group << 16 | who;
}

static inline struct dist_work *match_receive(const struct match *match)
{
    return (struct dist_work *)((char *)(uintptr_t)match - offsetof(struct dist_work, match));
}

/* The one that came first; either may be NULL. */
static inline struct match *match_earlier(struct match *a, struct match *b)
{
    return a && b ? (a->number < b->number ? a : b) : a ? a : b;
}

void match_open(struct match_table *table);
void match_close(struct match_table *table); /* forgets what is in it */
void match_add(struct match_table *table, struct match *match, uint64_t key);
struct match *match_find(const struct match_table *table, uint64_t key); /* the first; NULL: there is none */
void match_remove(struct match_table *table, struct match *match);

/* Of the receives that were posted, of which some may take a message from anybody: the first that this one fits. NULL: there is none. */
static inline struct match *match_receive_for(const struct match_table *posted, bool any, int from, int group,
                                              int tag)
{
    return match_earlier(match_find(posted, match_key(from, group, tag)),
                         any ? match_find(posted, match_key(DIST_ANY_SOURCE, group, tag)) : NULL);
}

#endif
