/*
 * parts.c: copies and reductions, on any number of tensors, wherever they lie.
 *
 * Up to KERNEL_INPUTS ranks one kernel reads all tensors where they lie, and writes the result wherever it shall be. With more
 * it is done in passes: the first KERNEL_INPUTS inputs are combined into scratch memory, and that with the next ones. The order
 * of the additions stays the same, and so do all results but those of the 16-bit floats, which are then rounded once
 * in every pass. Kernels that cannot reach another GPU's memory get copies of the inputs in scratch memory, too.
 */
#include "plans.h"
#include "../../devices/host.h"

#define CHUNK ((size_t)4 << 20) /* bytes of each tensor that are in scratch memory at once */

static bool keep(struct plan *p, int status)
{
    p->status = p->status == DIST_OK ? status : p->status;
    return p->status == DIST_OK;
}

void part_copy(struct plan *p, int member, void *to, const void *from, size_t bytes)
{
    if (to == from || bytes == 0 || p->status != DIST_OK)
        return;
    if (p->device)
        keep(p, p->device->copy(stream_of(p, member), to, from, bytes, COPY_INSIDE));
    else
        host_copy(to, from, bytes);
}

static struct kernel new_kernel(const struct plan *p, int64_t count)
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

static void on_host(const struct plan *p, size_t from, int64_t count)
{
    const void *in[WORLD_MAX_RANKS];
    for (int i = 0; i < p->inputs; i++)
        in[i] = at_byte(p->in[i], from);
    host_reduce(at_byte(p->out[0], from), in, p->inputs, count, p->type, p->op);
    for (int i = 1; i < p->outputs; i++)
        host_copy(at_byte(p->out[i], from), at_byte(p->out[0], from), (size_t)count * p->element);
}

static void in_one_kernel(struct plan *p, int member, size_t from, int64_t count)
{
    struct kernel kernel = new_kernel(p, count);
    kernel.inputs = p->inputs;
    kernel.copies = p->outputs - 1;
    kernel.out = at_byte(p->out[0], from);
    for (int i = 0; i < p->inputs; i++)
        kernel.in[i] = at_byte(p->in[i], from);
    for (int i = 0; i < kernel.copies; i++)
        kernel.copy[i] = at_byte(p->out[i + 1], from);
    keep(p, p->device->launch(stream_of(p, member), &kernel));
}

/* ---- in passes -------------------------------------------------------------------------------- */

/* Input k where the doer's kernels can read it; `scratch`: room for it. */
static const void *within_reach(struct plan *p, int member, int k, size_t from, size_t bytes, void *scratch)
{
    const char *in = at_byte(p->in[k], from);
    if (!p->job->far || k == doer_of(p, member))
        return in;
    part_copy(p, member, scratch, in, bytes);
    return scratch;
}

/* Combine one chunk of all inputs at the beginning of `scratch`. */
static void combine_chunk(struct plan *p, int member, size_t from, int64_t count, char *scratch)
{
    size_t bytes = (size_t)count * p->element;
    for (int k = 0; k < p->inputs && p->status == DIST_OK;) {
        struct kernel kernel = new_kernel(p, count);
        kernel.out = scratch;
        if (k > 0)
            kernel.in[kernel.inputs++] = scratch;
        for (; k < p->inputs && kernel.inputs < KERNEL_INPUTS; k++, kernel.inputs++)
            kernel.in[kernel.inputs] =
                within_reach(p, member, k, from, bytes, scratch + (size_t)kernel.inputs * CHUNK);
        if (p->op == DIST_AVG && k < p->inputs)
            kernel.op = DIST_SUM;
        keep(p, p->device->launch(stream_of(p, member), &kernel));
    }
}

static void in_passes(struct plan *p, int member, size_t from, int64_t count)
{
    struct gpu *gpu = p->ops[doer_of(p, member)]->gpu;
    size_t all = (size_t)count * p->element;
    char *scratch = p->device->alloc(gpu->state, KERNEL_INPUTS * CHUNK);
    if (!scratch) {
        device_fail(DIST_ERR_MEMORY, "the device \"%s\" has no memory left to reduce so many tensors",
                    p->device->name);
        keep(p, DIST_ERR_MEMORY);
        return;
    }
    for (size_t done = 0, here; done < all && p->status == DIST_OK; done += here) {
        here = all - done < CHUNK ? all - done : CHUNK;
        combine_chunk(p, member, from + done, (int64_t)(here / p->element), scratch);
        for (int i = 0; i < p->outputs; i++)
            part_copy(p, member, at_byte(p->out[i], from + done), scratch, here);
    }
    p->device->free(gpu->state, scratch); /* once the stream has passed */
}

void part_combine(struct plan *p, int member, int64_t begin, int64_t count)
{
    size_t from = (size_t)begin * p->element;
    if (count <= 0 || p->outputs == 0 || p->status != DIST_OK)
        return;
    if (!p->device)
        on_host(p, from, count);
    else if (p->inputs <= KERNEL_INPUTS && p->outputs <= KERNEL_INPUTS && !p->job->far)
        in_one_kernel(p, member, from, count);
    else if (p->inputs > 1)
        in_passes(p, member, from, count);
    else
        for (int i = 0; i < p->outputs; i++)
            part_copy(p, member, at_byte(p->out[i], from), at_byte(p->in[0], from),
                      (size_t)count * p->element);
}
