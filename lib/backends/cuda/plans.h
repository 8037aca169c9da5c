/*
 * plans.h: a collective that is being put into streams.
 */
#ifndef CUDA_PLANS_H
#define CUDA_PLANS_H

#include "cuda.h"

struct plan {
    struct cuda_job *job;
    struct dist_work **ops; /* by member */
    int size, root, lead;   /* members; `lead` is the one whose stream begins and ends it */
    bool shared;            /* each member does its part in its own stream; else the lead does all of them */
    const struct device *device; /* NULL: the tensors lie on the host, and everything is done here and now */
    enum dist_type type;
    enum dist_op op;
    int64_t count;         /* elements of a block */
    size_t element, block; /* bytes */
    int status;            /* the first that is not DIST_OK; then nothing more is done */

    /* the part that is being made: */
    int inputs, outputs;
    const void *in[WORLD_MAX_RANKS];
    void *out[WORLD_MAX_RANKS];
};

/* Who does this member's part. */
static inline int cuda_plan_doer(const struct plan *plan, int member)
{
    return plan->shared ? member : plan->lead;
}
static inline struct stream *cuda_plan_stream(const struct plan *plan, int member)
{
    return cuda_of(plan->job, plan->ops[cuda_plan_doer(plan, member)])->stream;
}

/* The first status that is not DIST_OK counts. */
static inline void cuda_plan_keep(struct plan *plan, int status)
{
    plan->status = plan->status == DIST_OK ? status : plan->status;
}

static inline char *cuda_at_byte(const void *address, size_t bytes)
{
    return (char *)(uintptr_t)address + bytes;
}

/* Of the member's part: copy so many bytes. And write in[0] op in[1] ..., from element `begin` on, to all of out[]: an in[k]
 * that is not alone is member k's. */
void cuda_part_copy(struct plan *plan, int member, void *to, const void *from, size_t bytes);
void cuda_part_combine(struct plan *plan, int member, int64_t begin, int64_t count);

#endif
