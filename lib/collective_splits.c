/* collective_splits.c: how an all_to_all's tensors are cut into blocks. */
#include "collective.h"
#include "devices/host.h"

bool splits_even(const struct collective *c, const char *name, const tensor *t, int size)
{
    if (t->numel % size == 0)
        return true;
    return !report(c->call, c->at, DIST_ERR_ARGUMENT,
                   "%s has %lld elements, which %d ranks cannot share evenly; pad it", name,
                   (long long)t->numel, size);
}

/* Are they counts that add up to the tensor? As a double the sum cannot overflow. */
static bool collective_check_list(const struct collective *c, const char *name, const tensor *t,
                                  const int64_t *splits, int size)
{
    double sum = 0;
    if (!splits)
        return splits_even(c, name, t, size);
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

bool splits_check(const struct collective *c, int size)
{
    return collective_check_list(c, c->in_name, c->in, c->in_splits, size) &&
           collective_check_list(c, c->out_name, c->out, c->out_splits, size);
}

int64_t *splits_copy(struct context *context, const struct collective *c, int size)
{
    int64_t *splits = host_alloc(context->self, 2 * (size_t)size * sizeof *splits);
    for (int i = 0; splits && i < size; i++) {
        splits[i] = c->in_splits ? c->in_splits[i] : c->in->numel / size;
        splits[size + i] = c->out_splits ? c->out_splits[i] : c->out->numel / size;
    }
    if (!splits)
        report(c->call, c->at, DIST_ERR_MEMORY, "there is no memory left for a copy of the splits");
    return splits;
}
