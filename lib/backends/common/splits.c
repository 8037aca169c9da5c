/* splits.c: see splits.h. */
#include "splits.h"

bool splits_clash(const struct dist_group *group, splits_list *of, const void *members, struct clash *clash)
{
    int n = group->size;
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++) {
            int64_t sent = of(members, from)[to], expected = of(members, to)[n + from];
            *clash = (struct clash){ group->ranks[from], group->ranks[to], sent, expected };
            if (sent != expected)
                return true;
        }
    return false;
}

int splits_tell(struct dist_work *op, const struct clash *clash)
{
    const struct dist_group *group = op->group;
    int from = group_index(group, clash->from), to = group_index(group, clash->to);
    why_say(
        &op->why,
        "rank %d sends %lld element%s to rank %d, which expects %lld: input_splits[%d] of rank %d must be "
        "output_splits[%d] of rank %d",
        clash->from, (long long)clash->sent, clash->sent == 1 ? "" : "s", clash->to,
        (long long)clash->expected, to, clash->from, from, clash->to);
    op->speaker = clash->to + 1;
    return op->status = DIST_ERR_MISMATCH;
}
