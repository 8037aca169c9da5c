/* splits.h: the counts of an all_to_all whose blocks are not even, and whether its members mean the same by them. */
#ifndef COMMON_SPLITS_H
#define COMMON_SPLITS_H

#include "../../backend.h"

/* Two members that do not agree, as world ranks: `from` sends so many elements, `to` expects so many. */
struct clash {
    int from, to;
    int64_t sent, expected;
};

/* A member's list, as in dist_work. */
typedef const int64_t *splits_list(const void *members, int member);

/* The first two that do not agree: the same for whoever asks. False: all do. */
bool splits_clash(const struct dist_group *group, splits_list *of, const void *members, struct clash *clash);

/* The op has failed, for that reason: DIST_ERR_MISMATCH, with the words. */
int splits_tell(struct dist_work *op, const struct clash *clash);

/* Elements before a member's. */
static inline int64_t splits_begin(const int64_t *counts, int member)
{
    int64_t begin = 0;
    for (int i = 0; i < member; i++)
        begin += counts[i];
    return begin;
}

#endif
