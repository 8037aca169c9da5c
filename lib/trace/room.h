/* room.h: one rank's wrapping room. */
#ifndef TRACE_ROOM_H
#define TRACE_ROOM_H

#include "record.h"

struct trace {
    struct launch_self *self;
    struct record *record;
    const struct backend *inner;
    void *room;           /* inner's */
    struct backend table; /* our calls, without those that inner leaves to algorithms/ */
    bool joined;          /* the barrier that ends init has begun */
};

/* wait.c: two of the calls */
bool trace_test(void *room, struct dist_work *op);
int trace_wait(void *room, struct dist_work *op);

#endif
