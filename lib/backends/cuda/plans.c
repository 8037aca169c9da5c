/*
 * plans.c: what each collective does, and in which streams.
 *
 * Every collective is cut into one part for each member, and no part reads what another one writes: so all parts run at the
 * same time, and none waits for another.
 *
 *     lead's stream      follow all `ready` | mark                          my part | follow all ends | open all gates
 *     another's stream                             follow the mark | its part | mark
 *
 * Of a small one the lead does all parts in its own stream: there a GPU needs less time for the numbers than the host
 * needs to enqueue. The lead changes from one collective to the next.
 *
 * A long cuda_plan_all_reduce: each member reduces its own slice of all tensors, and writes it into all of them. Every byte is read once and
 * written once, which is the least that can be done. Elements are combined in the order of the ranks.
 */
#include "plans.h"
#include "../common/splits.h"

#include <stdio.h>

#define SMALL (256 << 10) /* bytes that all parts read, at most */

typedef void part(struct plan *plan, int member);

static char *cuda_plan_in_of(const struct plan *p, int member)
{
    return p->ops[member]->in.data;
}

static char *cuda_plan_out_of(const struct plan *p, int member)
{
    return p->ops[member]->out.data;
}

/* ---- the parts ------------------------------------------------------------------------------ */

/* Slices of a whole tensor: even, and on a border that all like; or all of it for the lead. */
static int64_t cuda_plan_slice_begin(const struct plan *p, int member)
{
    if (!p->shared)
        return member <= p->lead ? 0 : p->count;
    return member == p->size ? p->count : p->count * member / p->size / 64 * 64;
}

static void cuda_plan_combine_slice(struct plan *p, int member)
{
    int64_t begin = cuda_plan_slice_begin(p, member);
    cuda_part_combine(p, member, begin, cuda_plan_slice_begin(p, member + 1) - begin);
}

static void cuda_plan_take_all_inputs(struct plan *p, size_t from)
{
    p->inputs = p->size;
    for (int i = 0; i < p->size; i++)
        p->in[i] = cuda_at_byte(cuda_plan_in_of(p, i), from);
}

static void cuda_plan_broadcast(struct plan *p, int member)
{
    p->inputs = 1;
    p->in[0] = cuda_plan_in_of(p, p->root);
    p->outputs = 0;
    for (int i = 0; i < p->size; i++)
        if (i != p->root)
            p->out[p->outputs++] = cuda_plan_out_of(p, i);
    cuda_plan_combine_slice(p, member);
}

static void cuda_plan_reduce(struct plan *p, int member)
{
    cuda_plan_take_all_inputs(p, 0);
    p->outputs = 1;
    p->out[0] = cuda_plan_out_of(p, p->root);
    cuda_plan_combine_slice(p, member);
}

static void cuda_plan_all_reduce(struct plan *p, int member)
{
    cuda_plan_take_all_inputs(p, 0);
    p->outputs = p->size;
    for (int i = 0; i < p->size; i++)
        p->out[i] = cuda_plan_out_of(p, i);
    cuda_plan_combine_slice(p, member);
}

static void cuda_plan_scatter(struct plan *p, int member)
{
    cuda_part_copy(p, member, cuda_plan_out_of(p, member),
                   cuda_at_byte(cuda_plan_in_of(p, p->root), (size_t)member * p->block), p->block);
}

static void cuda_plan_gather(struct plan *p, int member)
{
    cuda_part_copy(p, member, cuda_at_byte(cuda_plan_out_of(p, p->root), (size_t)member * p->block),
                   cuda_plan_in_of(p, member), p->block);
}

/* In place, the member's own block is there already. */
static void cuda_plan_all_gather(struct plan *p, int member)
{
    p->inputs = 1;
    p->in[0] = cuda_plan_in_of(p, member);
    p->outputs = 0;
    for (int i = 0; i < p->size; i++) {
        char *to = cuda_at_byte(cuda_plan_out_of(p, i), (size_t)member * p->block);
        if (to != cuda_plan_in_of(p, member))
            p->out[p->outputs++] = to;
    }
    cuda_part_combine(p, member, 0, p->count);
}

static void cuda_plan_reduce_scatter(struct plan *p, int member)
{
    cuda_plan_take_all_inputs(p, (size_t)member * p->block);
    p->outputs = 1;
    p->out[0] = cuda_plan_out_of(p, member);
    cuda_part_combine(p, member, 0, p->count);
}

static void cuda_plan_all_to_all(struct plan *p, int member)
{
    const int64_t *own = p->ops[member]->splits;
    for (int i = 0; i < p->size; i++) {
        int from = (member + i) % p->size; /* not all from the same one at once */
        size_t to_at = (size_t)from * p->block, from_at = (size_t)member * p->block, bytes = p->block;
        if (own) {
            to_at = (size_t)splits_begin(own + p->size, from) * p->element;
            from_at = (size_t)splits_begin(p->ops[from]->splits, member) * p->element;
            bytes = (size_t)own[p->size + from] * p->element;
        }
        cuda_part_copy(p, member, cuda_at_byte(cuda_plan_out_of(p, member), to_at),
                       cuda_at_byte(cuda_plan_in_of(p, from), from_at), bytes);
    }
}

static part *const parts[CALL_COUNT] = {
    [CALL_BROADCAST] = cuda_plan_broadcast,   [CALL_REDUCE] = cuda_plan_reduce,
    [CALL_ALL_REDUCE] = cuda_plan_all_reduce, [CALL_SCATTER] = cuda_plan_scatter,
    [CALL_GATHER] = cuda_plan_gather,         [CALL_ALL_GATHER] = cuda_plan_all_gather,
    [CALL_ALL_TO_ALL] = cuda_plan_all_to_all, [CALL_REDUCE_SCATTER] = cuda_plan_reduce_scatter,
};

/* ---- around them ------------------------------------------------------------------------------- */

/* One stream follows a point of another. */
static void cuda_plan_follow(struct plan *p, int member, int other)
{
    cuda_plan_keep(p, cuda_start_behind(cuda_of(p->job, p->ops[member]), cuda_of(p->job, p->ops[other])));
}

static void cuda_plan_begin(struct plan *p)
{
    struct stream *stream = cuda_plan_stream(p, p->lead);
    for (int i = 0; i < p->size; i++)
        cuda_plan_keep(p, p->device->event_follow(p->ops[i]->ready, stream));
    for (int i = 0; i < p->size && p->shared; i++)
        cuda_plan_follow(p, i, p->lead);
}

static void cuda_plan_end(struct plan *p)
{
    struct stream *stream = cuda_plan_stream(p, p->lead);
    for (int i = 0; i < p->size && p->shared; i++)
        cuda_plan_follow(p, p->lead, i);
    for (int i = 0; i < p->size && p->status == DIST_OK; i++)
        cuda_plan_keep(p, p->device->gate_open_behind(p->ops[i]->gate, stream));
}

/* How much all parts read together. */
static size_t cuda_plan_bytes_read(const struct plan *p)
{
    enum call call = p->ops[0]->call;
    size_t sum = 0;
    for (int i = 0; i < p->size && p->ops[0]->splits; i++)
        sum += (size_t)p->ops[i]->in.count * p->element;
    bool all_blocks = call == CALL_REDUCE_SCATTER || call == CALL_ALL_TO_ALL;
    return p->ops[0]->splits ? sum : p->block * (size_t)p->size * (all_blocks ? (size_t)p->size : 1);
}

static void cuda_plan_fill(struct plan *p, struct cuda_job *job, struct meeting *meeting)
{
    const struct dist_work *op = meeting->ops[0];
    p->job = job;
    p->ops = meeting->ops;
    p->size = meeting->size;
    p->root = op->peer;
    p->lead = (int)(meeting->ops[0]->phase % (uint32_t)p->size);
    p->type = op->type;
    p->op = op->op;
    p->count = op->block;
    p->element = dtype_size(op->type);
    p->block = (size_t)op->block * p->element;
    p->device = op->gpu ? cuda_device_of(op) : NULL;
    p->shared = p->device && cuda_plan_bytes_read(p) > SMALL;
    p->status = DIST_OK;
}

void cuda_plan_run(struct cuda_job *job, struct meeting *meeting)
{
    struct plan plan; /* most of it is filled in part by part */
    part *make = parts[meeting->ops[0]->call];
    cuda_plan_fill(&plan, job, meeting);
    if (plan.device)
        cuda_plan_begin(&plan);
    for (int i = 0; i < plan.size && make; i++)
        make(&plan, i);
    if (plan.device)
        cuda_plan_end(&plan);
    for (int i = 0; i < plan.size; i++) {
        if (plan.status != DIST_OK)
            why_say(&plan.ops[i]->why, "%s", device_why());
        cuda_start_given(job, plan.ops[i], plan.status);
    }
}
