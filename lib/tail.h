/* tail.h: DIST_CHECK=1: was anything written behind a tensor's last element? */
#ifndef TAIL_H
#define TAIL_H

#include "tensor_impl.h"

struct context;

/* How many bytes more a tensor on the host is to have now; 0: nobody checks. */
size_t tail_bytes(const struct context *context);

/* Its memory is there; it goes. What is freed looks like a tail from then on: who still reads it sees no number that stood there. */
void tail_begin(const struct context *context, struct storage *storage);
void tail_end(const struct storage *storage);

/* Is it as it was? False: it was reported, in the name of `call`. */
bool tail_look(const char *call, struct dist_at at, const tensor *t);
static inline bool tail_is_whole(const char *call, struct dist_at at, const tensor *t)
{
    return !t->storage->tail || tail_look(call, at, t);
}

#endif
