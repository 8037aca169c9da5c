/*
 * cores.c: where ranks outnumber cores, each has one where it is at home: as many on each, and neighbours together.
 *
 * With four ranks on two cores a barrier takes 1.1 us when each core has two of them, and 2.1 when one has three: every rank
 * has to be switched to in turn. And most messages go to a neighbour: where that one shares the core, a switch brings the answer; else both wait for
 * ranks that have no core. The system's scheduler knows neither. So a rank goes home when it joins, and when it has to wait and finds itself
 * elsewhere: by narrowing its affinity to that core for a moment, after which it gives back the mask that it had. What the user has
 * pinned stays pinned. The scheduler may always move it again, and does where other programs want the core: each time it stays away twice as long.
 */
#define _GNU_SOURCE
#include "engine.h"

#include <sched.h>

#define AWAY_NS 1000000 /* before it goes home a second time; */
#define LONGER 10       /* and twice as long so often */

/* Of the cores on which this rank may run; -1: there is one for each, or none is known. */
static int cores_home(const struct shm_state *shm, cpu_set_t *mask)
{
    int cores = sched_getaffinity(0, sizeof *mask, mask) == 0 ? CPU_COUNT(mask) : shm->size;
    int before = shm->rank * cores / shm->size, core = 0;
    if (cores >= shm->size)
        return -1;
    while (!CPU_ISSET((size_t)core, mask) || before-- > 0)
        core++;
    return core;
}

void cores_go_home(struct shm_state *shm)
{
    cpu_set_t mask, there;
    int home = cores_home(shm, &mask);
    atomic_store_explicit(&shm->home, home, memory_order_relaxed);
    if (home < 0 || home == sched_getcpu())
        return;
    CPU_ZERO(&there);
    CPU_SET((size_t)home, &there);
    if (sched_setaffinity(0, sizeof there, &there) == 0)
        sched_setaffinity(0, sizeof mask, &mask);
}

int cores_here(struct shm_state *shm)
{
    int core = sched_getcpu(), home = atomic_load_explicit(&shm->home, memory_order_relaxed);
    if (home < 0 || home == core)
        return core;
    int64_t now = launch_clock_ns();
    if (now < atomic_load_explicit(&shm->away, memory_order_relaxed))
        return core;
    int times = atomic_load_explicit(&shm->moves, memory_order_relaxed);
    atomic_store_explicit(&shm->moves, times + (times < LONGER), memory_order_relaxed);
    atomic_store_explicit(&shm->away, now + ((int64_t)AWAY_NS << times), memory_order_relaxed);
    cores_go_home(shm);
    return sched_getcpu();
}
