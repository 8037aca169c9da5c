/* tensor_tail.h: DIST_CHECK=1: was anything written behind a tensor's last element? */
#ifndef TENSOR_TAIL_H
#define TENSOR_TAIL_H

#include "tensor_impl.h"

struct context;

/* How many bytes more a tensor on the host is to have now; 0: nobody checks. */
size_t tensor_tail_bytes(const struct context *context);

/* Its memory is there; it goes. What is freed looks like a tail from then on: who still reads it sees no number that stood there. */
void tensor_tail_begin(const struct context *context, struct storage *storage);
void tensor_tail_end(const struct storage *storage);

/* Is it as it was? False: it was reported, in the name of `call`. (An algorithm passes memory on as a tensor that has no storage.) */
bool tensor_tail_look(const char *call, struct dist_at at, const tensor *t);
static inline bool tensor_tail_is_whole(const char *call, struct dist_at at, const tensor *t)
{
    return !t->storage || !t->storage->tail || tensor_tail_look(call, at, t);
}

#endif
