/* order.c: sets of known accesses: see order.h. */
#include "order.h"

static uint64_t written(struct order o, int place)
{
    return (uint64_t)1 << place * (o.threads + 1);
}

static uint64_t read_by(struct order o, int place, int thread)
{
    return written(o, place) << (thread + 1);
}

void order_begin(struct order o)
{
    for (int i = 0; i < o.holders; i++)
        o.knows[i] = UINT64_MAX;
}

bool order_read(struct order o, int thread, int place)
{
    for (int i = 0; i < o.holders; i++)
        o.knows[i] &= ~read_by(o, place, thread);
    o.knows[thread] |= read_by(o, place, thread);
    return o.knows[thread] & written(o, place);
}

bool order_write(struct order o, int thread, int place)
{
    uint64_t reads = 0;
    for (int i = 0; i < o.threads; i++)
        reads |= read_by(o, place, i);
    uint64_t all = reads | written(o, place);
    bool ordered = (o.knows[thread] & all) == all;
    for (int i = 0; i < o.holders;
         i++) /* who knows of this write knows, through it, of the reads before it */
        o.knows[i] = (o.knows[i] | reads) & ~written(o, place);
    o.knows[thread] |= all;
    return ordered;
}

void order_store(struct order o, int thread, int word, bool release)
{
    o.knows[word] = release ? o.knows[thread] : 0;
}

void order_load(struct order o, int thread, int word, bool acquire)
{
    if (acquire)
        o.knows[thread] |= o.knows[word];
}

void order_add(struct order o, int thread, int word, bool both)
{
    order_load(o, thread, word, both);
    if (both) /* relaxed: what earlier releases left there stays */
        o.knows[word] |= o.knows[thread];
}
