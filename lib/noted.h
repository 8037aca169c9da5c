/* noted.h: the rank's list of calls, for diagnose/replay.c. Kept only while messages are buffered. */
#ifndef NOTED_H
#define NOTED_H

#include "context.h"

void noted_open(struct context *context); /* begins a list where DIST_BUFFERING asks for buffers */
void noted_message(struct context *context, struct dist_work *op);
void noted_source(struct context *context, const struct dist_work *op); /* a receive has ended: who sent? */
void noted_wait(struct context *context, const struct dist_work *work);
void noted_collective(struct context *context, struct dist_work *op);

#endif
