/* sim.c: the simulated GPU's memory, its events, and its table. */
#include "sim.h"
#include "host.h"

#include <stdlib.h>

/* A program that has made tensors before dist_spawn has a stream, whose thread may hold the lock when the ranks are forked: in them
 * nobody would ever open it. */
static void sim_watch_forks(void)
{
    pthread_atfork(streams_lock, streams_unlock, streams_unlock);
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
    *state = sim;
    return DIST_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

/* Give back what no stream uses any more. */
static void sim_reclaim(struct sim *sim)
{
    streams_lock();
    for (void *memory; (memory = retired_take(&sim->retired, sim->streams));)
        host_free(sim->self, memory);
    streams_unlock();
}

static void sim_close(void *state)
{
    struct sim *sim = state;
    for (int i = 0; i < GPU_STREAMS; i++)
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
    streams_lock();
    retired_add(&sim->retired, sim->streams, memory);
    streams_unlock();
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

/* ---- streams and events ------------------------------------------------------------- */

static int sim_put(struct stream *stream, struct item item)
{
    item.asked = stream->sim->self->seen_on_stream ? launch_clock_ns() : 0;
    streams_lock();
    int status = stream_put(stream, &item);
    streams_unlock();
    return status;
}

static int sim_launch(struct stream *stream, const struct kernel *kernel)
{
    return sim_put(stream, (struct item){ .kind = ITEM_KERNEL, .kernel = *kernel });
}

static int sim_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way)
{
    return sim_put(stream, (struct item){ .kind = ITEM_COPY, .copy = { to, from, bytes, way } });
}

static struct event *sim_event_new(void *state, bool timed)
{
    (void)timed;
    struct event *event = calloc(1, sizeof *event);
    if (event)
        *event = (struct event){ .engine = &sim_engine, .sim = state, .users = 1 };
    return event;
}

static double sim_event_elapsed(struct event *from, struct event *to)
{
    streams_lock();
    int64_t elapsed = to->time - from->time;
    streams_unlock();
    return (double)elapsed * 1e-9;
}

static struct event *sim_gate_new(void *state)
{
    struct event *gate = sim_event_new(state, false);
    if (gate) {
        gate->marks = 1;
        gate->gate = true;
    }
    return gate;
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
    .event_elapsed = sim_event_elapsed,
    .gate_new = sim_gate_new,
};
