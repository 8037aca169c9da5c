/* noted.h: the rank's list of calls, for diagnose/replay.c. Kept only while messages are buffered. */
#ifndef NOTED_H
#define NOTED_H

#include "context.h"

void noted_open(struct context *context); /* begins a list where DIST_BUFFERING asks for buffers */
void noted_add(struct context *context, struct dist_work *op);
static inline void noted_message(struct context *context, struct dist_work *op)
{
    if (context->log)
        noted_add(context, op);
}

/* A receive has ended: who sent? */
void noted_add_source(struct context *context, const struct dist_work *op);
static inline void noted_source(struct context *context, const struct dist_work *op)
{
    if (op->logged)
        noted_add_source(context, op);
}
void noted_wait(struct context *context, const struct dist_work *work);
void noted_collective(struct context *context, struct dist_work *op);

#endif
