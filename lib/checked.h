/* checked.h: what DIST_CHECK=1 adds to the calls: no tensor is touched while a message needs it. */
#ifndef CHECKED_H
#define CHECKED_H

#include "context.h"
#include "diagnose/guard.h"

/* Read DIST_CHECK, and switch on. False: it makes no sense, which was reported. */
bool checked_open(struct context *context, struct dist_at at);

/* May this op have its tensors? If so they are in flight until checked_end, and the op is given the library's own addresses of them. Also
 * of a blocking call: the program may have other threads. False: it was reported. */
bool checked_take(struct context *context, struct dist_work *op);
static inline bool checked_begin(struct context *context, struct dist_work *op)
{
    return !context->checked || checked_take(context, op);
}
static inline void checked_end(struct dist_work *op)
{
    if (op->guarded)
        guard_release(&op->guarded);
}

/* Does this rank's part of the op change the tensor in op->out, and only read the one in op->in? */
bool checked_writes(const struct dist_work *op);
bool checked_reads(const struct dist_work *op);

/* Report a misuse that plain C has made (guard.h). */
void checked_tell(struct misuse *misuse);

#endif
