/*
 * pairing.h: which send belongs to which receive. Messages between two ranks with one group and tag arrive in the order sent, so the n-th
 * send belongs to the n-th receive: only each rank's own order is needed.
 */
#ifndef PAIRING_H
#define PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One half of a message. The first four say which channel it went through. */
struct half {
    int32_t src, dst;
    uint32_t group, tag;
    bool receives;
    int32_t rank;   /* whose it is: src or dst */
    uint64_t begin; /* that rank's order, */
    uint32_t entry; /* and its number in that rank's list */
};

/* For qsort: one channel after the other, in each the sends and then the receives, in order. */
static inline int half_compare(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
#define BY(field) \
    if (a->field != b->field) \
    return a->field < b->field ? -1 : 1
    BY(src);
    BY(dst);
    BY(group);
    BY(tag);
    BY(receives);
    BY(rank);
    BY(begin);
    BY(entry);
#undef BY
    return 0;
}

static inline bool half_same_channel(const struct half *a, const struct half *b)
{
    return a->src == b->src && a->dst == b->dst && a->group == b->group && a->tag == b->tag;
}

/* The end of the channel that begins there in a sorted list, and where its receives begin. */
static inline size_t half_channel_end(const struct half *halves, size_t count, size_t begin, size_t *receives)
{
    size_t end = *receives = begin;
    while (end < count && half_same_channel(&halves[begin], &halves[end]))
        *receives += !halves[end++].receives;
    return end;
}

#endif
