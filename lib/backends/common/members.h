/* members.h: the members of a group: where the watcher reads them, who has left, and who has not come to a collective. */
#ifndef COMMON_MEMBERS_H
#define COMMON_MEMBERS_H

#include "../../backend.h"

/* Write down the world ranks of a group where all can read them, and forget them again. False: no memory. */
bool members_publish(struct launch_self *self, struct dist_group *group);
void members_forget(struct launch_self *self, struct dist_group *group);

static inline bool member_has_left(const struct world *world, int rank)
{
    return atomic_load(&world->header->slots[rank].state) >= RANK_LEFT;
}

/* The same for a rank that is leaving itself: of it nobody will hear any more. */
static inline bool member_is_gone(const struct launch_self *self, int rank)
{
    return rank == self->env.rank || member_has_left(&self->world, rank);
}

/* Those that have not come, listed as far as the text has room. All zero at first. */
struct absent {
    int count;
    size_t used;
    char list[160];
};
void absent_add(struct absent *absent, int rank);

/* A monitored_barrier whose time is up: its status, with the words; OK: all have come. */
int absent_tell(struct dist_work *op, const struct absent *absent);

#endif
