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
 * A long all_reduce: each member reduces its own slice of all tensors, and writes it into all of them. Every byte is read once and
 * written once, which is the least that can be done. Elements are combined in the order of the ranks.
 */
#include "plans.h"
#include "../common/splits.h"

#define SMALL (256 << 10) /* bytes that all parts read, at most */

/* ---- the parts ------------------------------------------------------------------------------ */

/* Slices of a whole tensor: even, and on a border that all like; or all of it for the lead. */
static int64_t cuda_plan_slice_begin(const struct plan *p, int member)
{
    if (!p->shared)
        return member <= p->lead ? 0 : p->count;
    return member == p->size ? p->count : p->count * member / p->size / 64 * 64;
}

/* Whose tensors. */
enum whose { NOBODYS, ROOTS, MEMBERS, ALLS };

/* A member's part: of which inputs, combined, and to which outputs. */
static const struct shape {
    enum whose in, out;
    bool slice;               /* the member's slice of them; */
    bool in_block, out_block; /* or its block, where they have one for each member */
} shapes[CALL_COUNT] = {
    [CALL_BROADCAST] = { ROOTS, ALLS, .slice = true },
    [CALL_REDUCE] = { ALLS, ROOTS, .slice = true },
    [CALL_ALL_REDUCE] = { ALLS, ALLS, .slice = true },
    [CALL_SCATTER] = { ROOTS, MEMBERS, .in_block = true },
    [CALL_GATHER] = { MEMBERS, ROOTS, .out_block = true },
    [CALL_ALL_GATHER] = { MEMBERS, ALLS, .out_block = true },
    [CALL_REDUCE_SCATTER] = { ALLS, MEMBERS, .in_block = true },
};

static bool cuda_plan_has(const struct plan *p, enum whose whose, int member, int i)
{
    return whose == ALLS || i == (whose == ROOTS ? p->root : member);
}

/* In place, what would only be copied is there already. */
static void cuda_plan_part(struct plan *p, int member)
{
    const struct shape *shape = &shapes[p->ops[0]->call];
    size_t block = (size_t)member * p->block;
    int64_t begin = shape->slice ? cuda_plan_slice_begin(p, member) : 0;
    int64_t end = shape->slice ? cuda_plan_slice_begin(p, member + 1) : p->count;
    p->inputs = p->outputs = 0;
    for (int i = 0; i < p->size; i++)
        if (cuda_plan_has(p, shape->in, member, i))
            p->in[p->inputs++] = cuda_at_byte(p->ops[i]->in.data, shape->in_block ? block : 0);
    for (int i = 0; i < p->size; i++) {
        char *to = cuda_at_byte(p->ops[i]->out.data, shape->out_block ? block : 0);
        if (cuda_plan_has(p, shape->out, member, i) && (p->inputs > 1 || to != p->in[0]))
            p->out[p->outputs++] = to;
    }
    cuda_part_combine(p, member, begin, end - begin);
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
        cuda_part_copy(p, member, cuda_at_byte(p->ops[member]->out.data, to_at),
                       cuda_at_byte(p->ops[from]->in.data, from_at), bytes);
    }
}

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
        cuda_plan_keep(p, mark_follow(p->ops[i]->ready, stream));
    for (int i = 0; i < p->size && p->shared; i++)
        cuda_plan_follow(p, i, p->lead);
}

static void cuda_plan_end(struct plan *p)
{
    struct stream *stream = cuda_plan_stream(p, p->lead);
    for (int i = 0; i < p->size && p->shared; i++)
        cuda_plan_follow(p, p->lead, i);
    for (int i = 0; i < p->size && p->status == DIST_OK; i++)
        cuda_plan_keep(p, mark_open_behind(p->ops[i]->gate, stream));
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
    enum call call = meeting->ops[0]->call;
    cuda_plan_fill(&plan, job, meeting);
    if (plan.device)
        cuda_plan_begin(&plan);
    for (int i = 0; i < plan.size; i++)
        if (call == CALL_ALL_TO_ALL)
            cuda_plan_all_to_all(&plan, i);
        else if (shapes[call].in != NOBODYS)
            cuda_plan_part(&plan, i);
    if (plan.device)
        cuda_plan_end(&plan);
    for (int i = 0; i < plan.size; i++) {
        if (plan.status != DIST_OK)
            why_say(&plan.ops[i]->why, "%s", device_why());
        cuda_start_given(job, plan.ops[i], plan.status);
    }
}
