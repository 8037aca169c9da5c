/* pairs.h: which send belongs to which receive. */
#ifndef TRACE_PAIRS_H
#define TRACE_PAIRS_H

#include "record.h"

/* The message that each event carried, and how many there were. */
struct pairs {
    uint32_t **message; /* [rank][event]: from 1 on; 0: none, or its other half is not known */
    int ranks;
    uint32_t count;
};

/* Messages between two ranks with one group and tag arrive in the order sent, so the n-th send belongs to the n-th
 * receive: only each rank's own clock is needed. False: no memory. */
bool pairs_find(struct pairs *pairs, const struct world *world);
void pairs_free(struct pairs *pairs);

#endif
