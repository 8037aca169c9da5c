/* noted.h: the rank's list of calls, for diagnose/replay.c. Kept while messages are buffered, and with DIST_CHECK=1. */
#ifndef NOTED_H
#define NOTED_H

#include "context.h"

void noted_open(struct context *context);                      /* begins a list where one is kept */
void noted_add(struct context *context, struct dist_work *op); /* where one is: context->log */

/* A receive has ended: who sent? */
void noted_add_source(struct context *context, uint32_t logged, int from);
static inline void noted_source(struct context *context, const struct dist_work *op)
{
    if (op->logged)
        noted_add_source(context, op->logged, op->from);
}

/* A work was waited for; or it was asked, and is over. */
void noted_over(struct context *context, const struct dist_work *work, bool waits);

#endif
