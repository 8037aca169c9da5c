/*
 * parts.c: copies and reductions, on any number of tensors, wherever they lie.
 *
 * Up to KERNEL_INPUTS ranks one kernel reads all tensors where they lie, and writes the result wherever it shall be. With more
 * it is done in passes: the first KERNEL_INPUTS inputs are combined into scratch memory, and that with the next ones, in the
 * type that dtype_wide gives, so that sums are rounded once. The order of the additions stays the same, and so do the
 * results. Kernels that cannot reach another GPU's memory get copies of the inputs in scratch memory, too.
 */
#include "plans.h"
#include "../../devices/host.h"

#define CHUNK ((size_t)4 << 20) /* bytes of each tensor that are in scratch memory at once */

void cuda_part_copy(struct plan *p, int member, void *to, const void *from, size_t bytes)
{
    if (to == from || bytes == 0 || p->status != DIST_OK)
        return;
    if (p->device)
        cuda_plan_keep(p, p->device->copy(cuda_plan_stream(p, member), to, from, bytes, COPY_INSIDE));
    else
        host_copy(to, from, bytes);
}

static struct kernel cuda_parts_new_kernel(const struct plan *p, int64_t count)
{
    return (struct kernel){ .kind = KERNEL_REDUCE,
                            .type = p->type,
                            .op = p->op,
                            .ways = p->inputs,
                            .count = count,
                            .name = call_name(p->ops[0]->call),
                            .at = p->ops[0]->at };
}

/* ---- in one go ------------------------------------------------------------------------------- */

static void cuda_parts_in_one_kernel(struct plan *p, int member, size_t from, int64_t count)
{
    struct kernel kernel = cuda_parts_new_kernel(p, count);
    kernel.inputs = p->inputs;
    kernel.copies = p->outputs - 1;
    kernel.out = cuda_at_byte(p->out[0], from);
    for (int i = 0; i < p->inputs; i++)
        kernel.in[i] = cuda_at_byte(p->in[i], from);
    for (int i = 0; i < kernel.copies; i++)
        kernel.copy[i] = cuda_at_byte(p->out[i + 1], from);
    cuda_plan_keep(p, p->device->launch(cuda_plan_stream(p, member), &kernel));
}

/* ---- in passes -------------------------------------------------------------------------------- */

/* In scratch memory: KERNEL_INPUTS inputs, of which the first becomes the result; and one as it comes from another GPU. */
struct pass {
    struct plan *plan;
    int member;
    enum dist_type wide;
    char *scratch;
};

static void cuda_parts_convert(const struct pass *pass, void *to, enum dist_type type, const void *from,
                               enum dist_type from_type, int64_t count)
{
    struct plan *p = pass->plan;
    struct kernel kernel = cuda_parts_new_kernel(p, count);
    kernel.kind = KERNEL_CONVERT;
    kernel.type = type;
    kernel.from = from_type;
    kernel.out = to;
    kernel.in[0] = from;
    cuda_plan_keep(p, p->device->launch(cuda_plan_stream(p, pass->member), &kernel));
}

/* Input k where the doer's kernels can read it, in the type that they add in; `place`: room for it. */
static const void *cuda_parts_within_reach(const struct pass *pass, int k, size_t from, int64_t count,
                                           void *place)
{
    struct plan *p = pass->plan;
    bool far = p->job->far && k != cuda_plan_doer(p, pass->member), same = pass->wide == p->type;
    const char *in = cuda_at_byte(p->in[k], from);
    char *landing = same ? place : pass->scratch + KERNEL_INPUTS * CHUNK;
    if (far)
        cuda_part_copy(p, pass->member, landing, in, (size_t)count * p->element);
    if (same)
        return far ? landing : in;
    cuda_parts_convert(pass, place, pass->wide, far ? landing : in, p->type, count);
    return place;
}

/* Combine one chunk of all inputs at the beginning of the scratch memory. */
static void cuda_parts_combine_chunk(const struct pass *pass, size_t from, int64_t count)
{
    struct plan *p = pass->plan;
    for (int k = 0; k < p->inputs && p->status == DIST_OK;) {
        struct kernel kernel = cuda_parts_new_kernel(p, count);
        kernel.type = pass->wide;
        kernel.out = pass->scratch;
        if (k > 0)
            kernel.in[kernel.inputs++] = pass->scratch;
        for (; k < p->inputs && kernel.inputs < KERNEL_INPUTS; k++, kernel.inputs++)
            kernel.in[kernel.inputs] =
                cuda_parts_within_reach(pass, k, from, count, pass->scratch + (size_t)kernel.inputs * CHUNK);
        if (p->op == DIST_AVG && k < p->inputs)
            kernel.op = DIST_SUM;
        cuda_plan_keep(p, p->device->launch(cuda_plan_stream(p, pass->member), &kernel));
    }
    if (pass->wide != p->type)
        cuda_parts_convert(pass, pass->scratch + CHUNK, p->type, pass->scratch, pass->wide, count);
}

static void cuda_parts_in_passes(struct plan *p, int member, size_t from, int64_t count)
{
    struct gpu *gpu = p->ops[cuda_plan_doer(p, member)]->gpu;
    struct pass pass = { p, member, dtype_wide(p->type, p->op), NULL };
    int64_t most = (int64_t)(CHUNK / dtype_size(pass.wide));
    pass.scratch = p->device->alloc(gpu->state, (KERNEL_INPUTS + 1) * CHUNK);
    if (!pass.scratch) {
        device_fail(DIST_ERR_MEMORY, "the device \"%s\" has no memory left to reduce so many tensors",
                    p->device->name);
        cuda_plan_keep(p, DIST_ERR_MEMORY);
        return;
    }
    const char *result = pass.scratch + (pass.wide == p->type ? 0 : CHUNK);
    for (int64_t done = 0, here; done < count && p->status == DIST_OK; done += here) {
        size_t at = from + (size_t)done * p->element;
        here = count - done < most ? count - done : most;
        cuda_parts_combine_chunk(&pass, at, here);
        for (int i = 0; i < p->outputs; i++)
            cuda_part_copy(p, member, cuda_at_byte(p->out[i], at), result, (size_t)here * p->element);
    }
    p->device->free(gpu->state, pass.scratch); /* once the stream has passed */
}

void cuda_part_combine(struct plan *p, int member, int64_t begin, int64_t count)
{
    size_t from = (size_t)begin * p->element;
    if (count <= 0 || p->outputs == 0 || p->status != DIST_OK)
        return;
    bool one_kernel = p->inputs <= KERNEL_INPUTS && p->outputs <= KERNEL_INPUTS && !p->job->far;
    if (p->inputs == 1 && (p->outputs == 1 || !p->device || !one_kernel))
        for (int i = 0; i < p->outputs; i++)
            cuda_part_copy(p, member, cuda_at_byte(p->out[i], from), cuda_at_byte(p->in[0], from),
                           (size_t)count * p->element);
    else if (!p->device) /* there nothing is sliced */
        host_reduce_spread(
            p->out, p->outputs, p->in, p->inputs, count, p->type, p->op,
            host_outgrows_caches((size_t)(p->inputs + p->outputs) * (size_t)count * p->element));
    else if (one_kernel)
        cuda_parts_in_one_kernel(p, member, from, count);
    else
        cuda_parts_in_passes(p, member, from, count);
}
