/* wrap.h: one rank's wrapper around its backend. */
#ifndef TRACE_WRAP_H
#define TRACE_WRAP_H

#include "record.h"

struct trace {
    struct launch_self *self;
    struct record *record;
    const struct backend *inner;
    struct backend table; /* inner's, with our calls before those that leave an event */
    struct dist_group *world;
};

static inline struct trace *trace_here(void)
{
    return launch_self_if_any()->trace;
}

/* The event of a call of this thread that the quick way has not ended, and that comes again; 0: none, else 1 more. */
extern _Thread_local uint32_t trace_begun;

/* quick.c */
enum quick trace_quick_send(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site);
enum quick trace_quick_recv(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site);
enum quick trace_quick_sum(void *state, tensor *t, enum dist_op op, uint32_t site);
enum quick trace_quick_barrier(void *state, uint32_t site);

#endif
