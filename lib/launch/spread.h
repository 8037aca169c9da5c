/* spread.h: a world that is one of several: the job is on more machines, each with a watcher of ours (nodes.h). */
#ifndef LAUNCH_SPREAD_H
#define LAUNCH_SPREAD_H

#include "world.h"

/* What a rank has to tell all others before they can talk to each other: it only grows. */
struct world_bootstrap {
    _Atomic uint64_t used; /* bytes */
    char bytes[((size_t)256 << 10) - 2 * sizeof(uint64_t)];
    _Atomic uint64_t steps; /* that all take together: this rank has come so far */
};

/* May a rank tell the user of a failure that it was the first to see on this machine? Over several of them the first one's watcher says. */
enum permission { PERMISSION_UNKNOWN, PERMISSION_DENIED, PERMISSION_GRANTED };

static inline struct world_bootstrap *world_bootstrap(const struct world *world, int rank)
{
    return (struct world_bootstrap *)world_at(world, world->header->bootstrap_offset) + rank;
}

/* Is the job on several machines, each with a watcher of ours? */
static inline bool world_is_spread(const struct world *world)
{
    return world->header->nodes > 1;
}

/* Is it a rank of this machine? */
static inline bool world_has(const struct world *world, int rank)
{
    return world->header->slots[rank].node == world->header->node;
}

/* How many of the first `end` ranks are. */
static inline int world_has_before(const struct world *world, int end)
{
    int count = 0;
    for (int rank = 0; rank < end; rank++)
        count += world_has(world, rank);
    return count;
}

#endif
