/*
 * watchdog.c: an engine that starts waits for all ranks inside, where nobody of ours can look around, and MPI does so without an end. Our
 * launcher ends such a rank; under another one (mpirun, torchrun) a thread of the rank's does. Also where the rank that is missing was to come
 * on another machine: mpirun would end the others, srun lets them wait.
 */
#include "state.h"

#include <stdio.h>
#include <unistd.h>

/* At every 5 ms Open MPI 4.1.4's first connections stalled in one start of six, for up to 10 s (3 hosts x 2 ranks on 2 cores). */
#define LOOK_MS 50
#define GRACE 20 /* looks, in which the start may end by itself, and tell why */
/* Seconds for it, after the ranks had as long as they have to come, and on another machine once more. */
#define START_EXTRA_S 20

/* As if the call had returned with it. */
static _Noreturn void watchdog_give_up(struct launch_self *self, int seconds)
{
    char sentence[600];
    struct why why, cause;
    uint32_t call = atomic_load(&self->world.header->slots[self->env.rank].call);
    int status = DIST_ERR_TIMEOUT;
    why_say(&why,
            "the transport has not brought all ranks together within %d s; see whether all have started "
            "(DIST_INIT_TIMEOUT=SECONDS waits longer)",
            seconds);
    if (world_failed(&self->world)) {
        status = backend_failed(&self->world, &cause);
        why_say(&why, "%.200s; look at that rank first", cause.text);
    }
    snprintf(sentence, sizeof sentence, "rank %d: %s: %s", self->env.rank,
             launch_describe_word(&self->world, self->env.rank, call, call).text, why.text);
    launch_fail(self, status, sentence);
    _exit(status);
}

static struct worker watchdog_thread;
static struct eventcount watchdog_eventcount;
static atomic_bool watchdog_stops; /* the start is over */

static bool watchdog_is_over(void *unused)
{
    (void)unused;
    return atomic_load(&watchdog_stops);
}

static void watchdog_main(void *argument)
{
    struct launch_self *self = argument;
    int looks = 0, seconds = 2 * self->env.meet_seconds + START_EXTRA_S;
    int64_t end = launch_clock_ns() + seconds * (int64_t)1000000000;
    while (!atomic_load(&watchdog_stops) && looks < GRACE && launch_clock_ns() < end) {
        launch_look_around(self);
        looks += world_failed(&self->world);
        eventcount_sleep(&watchdog_eventcount, watchdog_is_over, NULL, LOOK_MS, NULL);
    }
    if (!atomic_load(&watchdog_stops))
        watchdog_give_up(self, seconds);
}

void watchdog_begin(struct launch_self *self)
{
    atomic_store(&watchdog_stops, false);
    watchdog_thread =
        (struct worker){ .self = self, .name = "dist watchdog", .work = watchdog_main, .argument = self };
    if (!self->watched)
        worker_start(&watchdog_thread);
}

void watchdog_end(void)
{
    atomic_store(&watchdog_stops, true);
    eventcount_notify(&watchdog_eventcount);
    worker_join(&watchdog_thread);
}
