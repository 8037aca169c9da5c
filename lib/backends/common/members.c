/* members.c: see members.h. */
#include "members.h"
#include "../../devices/host.h"

#include <stdio.h>

int32_t *members_publish(struct launch_self *self, const struct dist_group *group)
{
    int32_t *members = host_alloc(self, (size_t)group->size * sizeof *members);
    for (int i = 0; members && i < group->size; i++)
        members[i] = group->ranks[i];
    return members;
}

void absent_add(struct absent *absent, int rank)
{
    if (absent->used + 16 < sizeof absent->list)
        absent->used += (size_t)snprintf(absent->list + absent->used, sizeof absent->list - absent->used,
                                         "%s%d", absent->count ? ", " : "", rank);
    absent->count++;
}

int absent_tell(struct dist_work *op, const struct absent *absent)
{
    if (absent->count == 0)
        return DIST_OK;
    return op->status = why_fail(DIST_ERR_TIMEOUT, &op->why, "rank%s %s did not come within %g s",
                                 absent->count == 1 ? "" : "s", absent->list, op->timeout);
}
