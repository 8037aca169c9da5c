/* sim.c: the simulated GPU's memory, and its table. */
#include "sim.h"
#include "host.h"

#include <stdlib.h>

pthread_mutex_t sim_lock = PTHREAD_MUTEX_INITIALIZER;

/* A program that has made tensors before dist_spawn has a stream, whose thread may hold the lock when the ranks are forked: in them
 * nobody would ever open it. */
static void sim_before_fork(void)
{
    pthread_mutex_lock(&sim_lock);
}

static void sim_after_fork(void)
{
    pthread_mutex_unlock(&sim_lock);
}

static void sim_watch_forks(void)
{
    pthread_atfork(sim_before_fork, sim_after_fork, sim_after_fork);
}

static int sim_open(struct launch_self *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sim *sim = calloc(1, sizeof *sim);
    struct why why;
    pthread_once(&once, sim_watch_forks);
    if (!sim)
        return device_fail(DIST_ERR_MEMORY, "the system gives no memory for a simulated GPU");
    if (link_read(&sim->out, &why) != DIST_OK) {
        free(sim);
        return device_fail(DIST_ERR_ENVIRONMENT, "%s", why.text);
    }
    if (self->world.base == (char *)self->world.header) {
        free(sim);
        return device_fail(DIST_ERR_SYSTEM,
                           "address space is too small for a simulated GPU, whose memory is mapped twice");
    }
    sim->in = sim->out;
    sim->self = self;
    sim->slot = &self->world.header->slots[self->env.rank];
    *state = sim;
    return DIST_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

static bool sim_has_passed(const struct sim *sim, const struct retired *retired)
{
    for (int i = 0; i < SIM_STREAMS; i++)
        if (sim->streams[i] && sim->streams[i]->done < retired->until[i])
            return false;
    return true;
}

/* Give back what no stream uses any more. */
static void sim_reclaim(struct sim *sim)
{
    pthread_mutex_lock(&sim_lock);
    for (struct retired **at = &sim->retired; *at;) {
        struct retired *retired = *at;
        if (!sim_has_passed(sim, retired)) {
            at = &retired->next;
            continue;
        }
        *at = retired->next;
        host_free(sim->self, retired->memory);
        free(retired);
    }
    pthread_mutex_unlock(&sim_lock);
}

static void sim_close(void *state)
{
    struct sim *sim = state;
    for (int i = 0; i < SIM_STREAMS; i++)
        if (sim->streams[i])
            sim_stream_free(sim->streams[i]);
    sim_reclaim(sim); /* without streams all has passed */
    free(sim->staging);
    free(sim);
}

static void *sim_alloc(void *state, size_t bytes)
{
    struct sim *sim = state;
    sim_reclaim(sim);
    return host_alloc(sim->self, bytes);
}

static void sim_free(void *state, void *memory)
{
    struct sim *sim = state;
    struct retired *retired = calloc(1, sizeof *retired);
    if (!retired)
        return; /* then it is lost until the rank ends */
    pthread_mutex_lock(&sim_lock);
    retired->memory = memory;
    for (int i = 0; i < SIM_STREAMS; i++)
        retired->until[i] = sim->streams[i] ? sim->streams[i]->put : 0;
    retired->next = sim->retired;
    sim->retired = retired;
    pthread_mutex_unlock(&sim_lock);
    sim_reclaim(sim);
}

static void *sim_staging(void *state, size_t bytes)
{
    struct sim *sim = state;
    if (bytes > sim->staging_bytes) {
        void *larger = realloc(sim->staging, bytes);
        if (!larger)
            return NULL;
        sim->staging = larger;
        sim->staging_bytes = bytes;
    }
    return sim->staging;
}

/* Ranks that are threads see each other's memory. */
static bool sim_reaches(void *state, void *other)
{
    (void)state, (void)other;
    return true;
}

const struct device device_sim = {
    .name = "sim",
    .open = sim_open,
    .close = sim_close,
    .alloc = sim_alloc,
    .free = sim_free,
    .staging = sim_staging,
    .stream_new = sim_stream_new,
    .stream_free = sim_stream_free,
    .stream_passed = sim_stream_passed,
    .launch = sim_launch,
    .copy = sim_copy,
    .event_new = sim_event_new,
    .event_free = sim_event_free,
    .event_record = sim_event_record,
    .event_follow = sim_event_follow,
    .event_passed = sim_event_passed,
    .event_sure = sim_event_sure,
    .event_elapsed = sim_event_elapsed,
    .gate_new = sim_gate_new,
    .gate_open_behind = sim_gate_open_behind,
    .gate_open = sim_gate_open,
    .reaches = sim_reaches,
    .stream_held = sim_stream_held,
};
