/* order.c: sets of known accesses: see order.h. */
#include "order.h"

/* A place's bits lie together in one word. */
static int places_a_word(struct order o)
{
    return 64 / (o.threads + 1);
}

static uint64_t *known(struct order o, int holder, int place)
{
    return &o.knows[holder * o.width + place / places_a_word(o)];
}

static uint64_t written(struct order o, int place)
{
    return (uint64_t)1 << place % places_a_word(o) * (o.threads + 1);
}

static uint64_t read_by(struct order o, int place, int thread)
{
    return written(o, place) << (thread + 1);
}

void order_begin(struct order o)
{
    for (int i = 0; i < o.holders * o.width; i++)
        o.knows[i] = UINT64_MAX;
}

bool order_read(struct order o, int thread, int place)
{
    for (int i = 0; i < o.holders; i++)
        *known(o, i, place) &= ~read_by(o, place, thread);
    *known(o, thread, place) |= read_by(o, place, thread);
    return *known(o, thread, place) & written(o, place);
}

bool order_write(struct order o, int thread, int place)
{
    uint64_t reads = 0;
    for (int i = 0; i < o.threads; i++)
        reads |= read_by(o, place, i);
    uint64_t all = reads | written(o, place);
    bool ordered = (*known(o, thread, place) & all) == all;
    for (int i = 0; i < o.holders;
         i++) { /* who knows of this write knows, through it, of the reads before it */
        uint64_t *knows = known(o, i, place);
        *knows = (*knows | reads) & ~written(o, place);
    }
    *known(o, thread, place) |= all;
    return ordered;
}

void order_store(struct order o, int thread, int word, bool release)
{
    for (int i = 0; i < o.width; i++)
        o.knows[word * o.width + i] = release ? o.knows[thread * o.width + i] : 0;
}

void order_load(struct order o, int thread, int word, bool acquire)
{
    for (int i = 0; i < o.width && acquire; i++)
        o.knows[thread * o.width + i] |= o.knows[word * o.width + i];
}

void order_add(struct order o, int thread, int word, bool release)
{
    for (int i = 0; i < o.width && release; i++)
        o.knows[word * o.width + i] |= o.knows[thread * o.width + i];
}
