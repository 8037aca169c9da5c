/* members.c: see members.h. */
#include "members.h"
#include "../../devices/host.h"

#include <stdio.h>

bool members_publish(struct launch_self *self, struct dist_group *group)
{
    size_t bytes = (size_t)group->size * sizeof *group->ranks;
    void *members = host_alloc(self, bytes);
    if (!members)
        return false;
    memcpy(members, group->ranks, bytes);
    group->members = world_offset(&self->world, members);
    return true;
}

void members_forget(struct launch_self *self, struct dist_group *group)
{
    if (group->members)
        host_free(self, world_at(&self->world, group->members));
    group->members = 0;
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
