/*
 * cores.c: where ranks outnumber cores, an even number of them on each.
 *
 * With four ranks on two cores a barrier takes 1.1 us when each core has two of them, and 2.1 when one has three: every rank
 * has to be switched to in turn. The system's scheduler leaves it at three and one for tenths of a second. But the ranks know
 * better: each contribution says on which core its owner ran. So now and then, at the 64th arrival of the job, the 128th, the 256th and
 * so on, the last rank of a core that has two more than another goes over there. It moves by narrowing its affinity to
 * that core for a moment, and gives back the mask that it had: what the user has pinned stays pinned, and the scheduler may
 * always move it again.
 */
#define _GNU_SOURCE
#include "engine.h"

#include <sched.h>

#define FIRST 64  /* arrivals: before, there is nothing to be gained */
#define CORES 256 /* that a contribution can name */

static bool cores_is_time(uint32_t arrivals)
{
    return arrivals >= FIRST && (arrivals & (arrivals - 1)) == 0;
}

static void cores_move_to(int core, const cpu_set_t *before)
{
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET((size_t)core, &there);
    if (sched_setaffinity(0, sizeof there, &there) == 0)
        sched_setaffinity(0, sizeof *before, before);
}

static void cores_leave_the_fullest(const struct shm_group *g)
{
    int ranks_on[CORES] = { 0 }, last_here = 0, best = -1;
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        return;
    for (int i = 0; i < g->group->size; i++) {
        int core = atomic_load_explicit(&barrier_contribution(g, i, g->seq - 1)->core, memory_order_relaxed);
        ranks_on[core]++;
        if (core == g->core)
            last_here = i;
    }
    for (int core = 0; core < CORES; core++)
        if (CPU_ISSET((size_t)core, &mask) && (best < 0 || ranks_on[core] < ranks_on[best]))
            best = core;
    if (best >= 0 && last_here == g->group->rank && ranks_on[g->core] >= ranks_on[best] + 2)
        cores_move_to(best, &mask);
}

void cores_even_out(struct shm_state *shm, struct shm_group *g)
{
    if (g == &shm->world_group && cores_is_time(g->arrivals))
        cores_leave_the_fullest(g);
}
