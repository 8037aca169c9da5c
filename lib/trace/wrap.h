/* wrap.h: one rank's wrapper around its backend. */
#ifndef TRACE_WRAP_H
#define TRACE_WRAP_H

#include "record.h"

struct trace {
    struct launch_self *self;
    struct record *record;
    const struct backend *inner;
    void *state;          /* inner's */
    struct backend table; /* our calls, without those that inner leaves to algorithms/ */
    bool joined;          /* the barrier that ends init has begun */
    uint32_t made;        /* the event of the last new_group */
    struct dist_group *world;
};

/* The event of a call of this thread that the quick way has not ended, and that comes again; 0: none, else 1 more. */
extern _Thread_local uint32_t trace_begun;

/* quick.c */
enum quick trace_quick_send(void *state, const tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site);
enum quick trace_quick_recv(void *state, tensor *t, int peer, int tag, const struct dist_group *group,
                            uint32_t site);
enum quick trace_quick_sum(void *state, tensor *t, enum dist_op op, uint32_t site);
enum quick trace_quick_barrier(void *state, uint32_t site);

/* wait.c: two of the calls */
bool trace_test(void *state, struct dist_work *op);
int trace_wait(void *state, struct dist_work *op);

#endif
