/* collective.c: what one rank can check of a collective alone. */
#include "collective.h"
#include "streams/gpu.h"

/* Only the in-place rule of dist.h may let two tensors touch: the small one is block `rank` of the big one. */
static bool collective_check_overlap(const struct collective *c, const struct dist_group *group)
{
    bool one_tensor = c->in == c->out && !c->in_has_blocks && !c->out_has_blocks; /* broadcast, all_reduce */
    bool block = c->out_has_blocks != c->in_has_blocks;
    const tensor *large = c->out_has_blocks ? c->out : c->in, *small = c->out_has_blocks ? c->in : c->out;
    if (one_tensor || !tensor_overlap(c->in, c->out) ||
        (block && (char *)small->data == (char *)large->data + (size_t)group->rank * small->bytes))
        return true;
    return !report(c->call, c->at, DIST_ERR_ARGUMENT, "%s and %s share memory; use two tensors%s", c->in_name,
                   c->out_name, block ? ", or exactly this rank's own block of the larger" : "");
}

/* Does the tensor have as many elements for each member? */
static bool collective_check_even(const struct collective *c, const char *name, const tensor *t, int size)
{
    if (t->numel % size == 0)
        return true;
    return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                   "%s has %lld element%s, which %d ranks cannot share evenly; pad it", name,
                   (long long)t->numel, t->numel == 1 ? "" : "s", size);
}

/* Are they counts that add up to the tensor? As a double the sum cannot overflow. */
static bool collective_check_list(const struct collective *c, const char *name, const tensor *t,
                                  const int64_t *splits, int size)
{
    double sum = 0;
    if (!splits)
        return collective_check_even(c, name, t, size);
    for (int i = 0; i < size; i++) {
        sum += (double)splits[i];
        if (splits[i] >= 0)
            continue;
        return !report(c->call, c->at, DIST_ERR_ARGUMENT, "%s_splits[%d] is %lld; a count is 0 or more", name,
                       i, (long long)splits[i]);
    }
    if (sum == (double)t->numel)
        return true;
    return !report(
        c->call, c->at, DIST_ERR_ARGUMENT,
        "the %d %s_splits add up to %.0f, and %s has %lld elements; give each member's count, so that they "
        "fill the tensor",
        size, name, sum, name, (long long)t->numel);
}

/* Do the two tensors fit each other? */
static bool collective_check_pair(const struct collective *c, const struct dist_group *group)
{
    if (c->in->type != c->out->type)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT, "%s is of %s, %s of %s; give both one type",
                       c->in_name, dtype_name(c->in->type), c->out_name, dtype_name(c->out->type));
    if (c->in_splits || c->out_splits)
        return collective_check_list(c, c->in_name, c->in, c->in_splits, group->size) &&
               collective_check_list(c, c->out_name, c->out, c->out_splits, group->size) &&
               collective_check_overlap(c, group);
    bool blocks = c->in_has_blocks != c->out_has_blocks, in_is_large = blocks && c->in_has_blocks;
    const tensor *large = in_is_large ? c->in : c->out, *other = in_is_large ? c->out : c->in;
    int64_t needed = blocks ? other->numel * group->size : other->numel;
    if (large->numel != needed)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                       "%s has %lld element%s; with %d rank%s and %s of %lld it needs %lld",
                       in_is_large ? c->in_name : c->out_name, (long long)large->numel,
                       large->numel == 1 ? "" : "s", group->size, group->size == 1 ? "" : "s",
                       in_is_large ? c->out_name : c->in_name, (long long)other->numel, (long long)needed);
    if (c->in_has_blocks && c->out_has_blocks && !collective_check_even(c, c->in_name, c->in, group->size))
        return false;
    return collective_check_overlap(c, group);
}

/* Only the root needs the larger tensor: who gives none may well not know that the others take it for the root. */
static bool collective_check_root(const struct collective *c)
{
    bool takes = c->call == CALL_GATHER, gives = c->call == CALL_SCATTER;
    bool missing = (takes && c->out_name && !c->out) || (gives && c->in_name && !c->in);
    if (missing)
        report(
            c->call, c->at, DIST_ERR_ARGUMENT,
            "the %s is NULL, but %s is %d, which is this rank; pass a tensor, or name the rank that has one",
            takes ? "output" : "input", c->root_name, c->root);
    return !missing;
}

bool collective_check_op(enum call call, struct dist_at at, enum dist_op op)
{
    if ((unsigned)op <= DIST_MAX)
        return true;
    return !report(call, at, DIST_ERR_ARGUMENT, "op is %d; it must be DIST_SUM, AVG, PRODUCT, MIN or MAX",
                   (int)op);
}

static bool collective_check_tensors(struct context *context, const struct collective *c,
                                     const struct dist_group *group)
{
    if (!collective_check_root(c) ||
        (c->in_name && !context_tensor(context, c->call, c->at, c->in_name, c->in)) ||
        (c->out_name && !context_tensor(context, c->call, c->at, c->out_name, c->out)) ||
        !collective_check_op(c->call, c->at, c->op))
        return false;
    if (!c->in || !c->out)
        return true;
    if (c->in->gpu != c->out->gpu)
        return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                       "%s lies on the %s and %s on the %s; bring them together with tensor_to", c->in_name,
                       c->in->gpu ? "GPU" : "host", c->out_name, c->in->gpu ? "host" : "GPU");
    return collective_check_pair(c, group);
}

struct dist_group *collective_check(struct context *context, struct collective *c)
{
    if (!(c->timeout >= 0))
        return report(c->call, c->at, DIST_ERR_ARGUMENT,
                      "timeout is %g; it must be a number of seconds, or 0 for 30", c->timeout),
               NULL;
    struct dist_group *group = context_group(context, c->call, c->at, c->group, true);
    if (!group)
        return NULL;
    c->place = c->root_name ? context_rank(context, c->call, c->at, c->root_name, c->root, group) : 0;
    return c->place >= 0 && collective_check_tensors(context, c, group) ? group : NULL;
}
