/* tensor_kernel.h: how calls begin a kernel on tensors, and what those of learning check. All checks: false, it was reported. */
#ifndef TENSOR_KERNEL_H
#define TENSOR_KERNEL_H

#include "context.h"
#include "devices/device.h"

static inline int64_t learn_columns(const tensor *t)
{
    return t->shape[t->ndim - 1];
}
static inline int64_t learn_rows(const tensor *t)
{
    return learn_columns(t) ? t->numel / learn_columns(t) : 0;
}

/* A tensor that may be written, of floats. */
bool learn_target(const char *call, struct dist_at at, const tensor *t);

/* A tensor of a call, with as many elements as the first one or as a row of that. Do all fit the first? Of so many are the first ones
 * written, and lie apart from each other and from all that is read. */
struct learn_part {
    const tensor *t;
    enum { WHOLE, ROW } size;
};
bool learn_fit(const char *call, struct dist_at at, const struct learn_part *parts, int written, int count);

/* May the other be read, and lies it where t does? */
bool tensor_may_read_beside(const char *call, struct dist_at at, const tensor *t, const tensor *other);

/* A kernel that changes t, whose rows run along its last dimension, and reads these (NULL: no more). (tensor_math.c) */
struct kernel tensor_kernel(const tensor *t, enum kernel_kind kind, const tensor *a, const tensor *b,
                            const tensor *c);

#endif
