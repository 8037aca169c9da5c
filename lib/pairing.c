/* pairing.c: see pairing.h. */
#include "pairing.h"

#define BY(field) \
    if (a->field != b->field) \
    return a->field < b->field ? -1 : 1

int half_compare(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
    BY(src);
    BY(dst);
    BY(group);
    BY(tag);
    BY(receives);
    BY(rank);
    BY(begin);
    BY(entry);
    return 0;
}

bool half_same_channel(const struct half *a, const struct half *b)
{
    return a->src == b->src && a->dst == b->dst && a->group == b->group && a->tag == b->tag;
}

size_t half_channel_end(const struct half *halves, size_t count, size_t begin, size_t *receives)
{
    size_t end = *receives = begin;
    while (end < count && half_same_channel(&halves[begin], &halves[end]))
        *receives += !halves[end++].receives;
    return end;
}
