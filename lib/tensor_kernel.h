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

/* Is it right? If not, that is told in words that need two long long at most. */
bool learn_check(bool right, const char *call, struct dist_at at, const char *words, int64_t a, int64_t b);

/* A tensor that may be written, of floats; and another that may be read, of t's type and on its device, with so many elements. */
bool learn_target(const char *call, struct dist_at at, const tensor *t);
bool learn_beside(const char *call, struct dist_at at, const tensor *t, const tensor *other, int64_t numel);
bool learn_apart(const char *call, struct dist_at at, const tensor *out, const tensor *in);

/* A kernel that changes t, whose rows run along its last dimension; and one more tensor that it reads. (tensor_math.c) */
struct kernel tensor_kernel(const tensor *t, enum kernel_kind kind);
void tensor_kernel_reads(struct kernel *kernel, const tensor *t);

#endif
