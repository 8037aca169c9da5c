/* sim_stream.c: a queue, and the thread that does what stands in it. */
#define _GNU_SOURCE
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NAP 1000 /* ms; nobody depends on it */

static struct sleep_note *sim_stream_note_of(const struct stream *stream)
{
    const struct launch_self *self = stream->sim->self;
    return &world_notes(&self->world, self->env.rank)->streams[1 + stream->number];
}

/* ---- doing one item, without the lock --------------------------------------------------- */

static void sim_stream_sleep_until(struct sleep_note *note, int64_t time)
{
    struct timespec until = { time / 1000000000, time % 1000000000 };
    if (time <= launch_clock_ns())
        return;
    atomic_store(&note->timed, 1); /* it will go on by itself: no reason to think that nothing moves */
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
    atomic_store(&note->timed, 0);
}

static void sim_stream_do_copy(struct stream *stream, const struct item *item)
{
    struct sim *sim = stream->sim;
    int64_t over = 0;
    if (item->copy.way != COPY_INSIDE) {
        pthread_mutex_lock(&sim_lock);
        over = link_put(item->copy.way == COPY_TO_HOST ? &sim->out : &sim->in, (double)item->copy.bytes, 1);
        pthread_mutex_unlock(&sim_lock);
    }
    memmove(world_open_view(&sim->self->world, item->copy.to),
            world_open_view(&sim->self->world, item->copy.from), item->copy.bytes);
    sim_stream_sleep_until(sim_stream_note_of(stream), over);
}

static void sim_stream_do_kernel(const struct stream *stream, struct item *item)
{
    struct kernel *kernel = &item->kernel;
    kernel->out = world_open_view(&stream->sim->self->world, kernel->out);
    for (int i = 0; i < KERNEL_INPUTS; i++)
        if (kernel->in[i])
            kernel->in[i] = world_open_view(&stream->sim->self->world, kernel->in[i]);
    for (int i = 0; i < kernel->copies; i++)
        kernel->copy[i] = world_open_view(&stream->sim->self->world, kernel->copy[i]);
    host_launch(kernel);
}

static void sim_stream_do_item(struct stream *stream, struct item *item)
{
    const struct launch_self *self = stream->sim->self;
    int64_t begin = launch_clock_ns();
    if (item->kind == ITEM_KERNEL)
        sim_stream_do_kernel(stream, item);
    else if (item->kind == ITEM_COPY)
        sim_stream_do_copy(stream, item);
    else
        return;
    if (self->seen_on_stream)
        self->seen_on_stream(stream->sim->self, stream->number,
                             item->kind == ITEM_COPY ? "copy" : item->kernel.name, item->asked, begin,
                             launch_clock_ns());
}

/* ---- the thread ------------------------------------------------------------------------ */

/* With the lock held: is there something to do, or nothing ever again? */
static bool sim_stream_has_news(const struct stream *stream)
{
    return stream->first ? sim_may_pass(stream->first) : stream->stop;
}

static bool sim_stream_news(void *argument)
{
    struct stream *stream = argument;
    pthread_mutex_lock(&sim_lock);
    bool any = sim_stream_has_news(stream);
    pthread_mutex_unlock(&sim_lock);
    return any;
}

/* With the lock held: do the first item, during which the lock is free. */
static void sim_stream_step(struct stream *stream)
{
    struct sim *sim = stream->sim;
    struct item *item = stream->first;
    pthread_mutex_unlock(&sim_lock);
    sim_stream_do_item(stream, item);
    pthread_mutex_lock(&sim_lock);
    sim_mark(item);
    if (stream->unsure == item)
        stream->unsure = item->next;
    stream->first = item->next;
    if (!stream->first)
        stream->end = &stream->first;
    stream->done++;
    sim_unuse(item->event);
    if (!stream->first || item->kind == ITEM_RECORD)
        sim_notify(sim);
    free(item);
}

/* A GPU computes beside the processor, not in its place: what computes here steps back for the threads that enqueue and
 * communicate. Refused or not, the results are the same. */
#define STEP_BACK 5

static void sim_stream_main(void *argument)
{
    struct stream *stream = argument;
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + STEP_BACK); /* 0: this thread */
    struct sim *sim = stream->sim;
    struct sleep_note *note = sim_stream_note_of(stream);
    pthread_mutex_lock(&sim_lock);
    while (stream->first || !stream->stop) {
        if (sim_stream_has_news(stream)) {
            sim_stream_step(stream);
            continue;
        }
        pthread_mutex_unlock(&sim_lock);
        eventcount_sleep(&sim->slot->eventcount, sim_stream_news, stream, NAP, note);
        pthread_mutex_lock(&sim_lock);
    }
    pthread_mutex_unlock(&sim_lock);
}

/* ---- the device's calls ------------------------------------------------------------------ */

struct stream *sim_stream_new(void *state, int number)
{
    struct sim *sim = state;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){ .sim = sim, .number = number, .end = &stream->first };
    pthread_mutex_lock(&sim_lock);
    sim->streams[1 + number] = stream;
    pthread_mutex_unlock(&sim_lock);
    return stream;
}

void sim_stream_free(struct stream *stream)
{
    struct sim *sim = stream->sim;
    if (stream->thread.runs) {
        pthread_mutex_lock(&sim_lock);
        stream->stop = true;
        pthread_mutex_unlock(&sim_lock);
        eventcount_advance(&sim->slot->eventcount);
        worker_join(&stream->thread);
    }
    pthread_mutex_lock(&sim_lock);
    sim->streams[1 + stream->number] = NULL;
    for (struct retired *retired = sim->retired; retired; retired = retired->next)
        retired->until[1 + stream->number] = 0;
    pthread_mutex_unlock(&sim_lock);
    free(stream);
}

bool sim_stream_passed(struct stream *stream)
{
    pthread_mutex_lock(&sim_lock);
    bool passed = !stream->first;
    pthread_mutex_unlock(&sim_lock);
    return passed;
}

static int sim_stream_start(struct stream *stream)
{
    stream->thread = (struct worker){ .self = stream->sim->self,
                                      .name = "dist stream",
                                      .work = sim_stream_main,
                                      .argument = stream,
                                      .note = sim_stream_note_of(stream),
                                      .eventcount = &stream->sim->slot->eventcount };
    return worker_start(&stream->thread)
               ? DIST_OK
               : device_fail(DIST_ERR_SYSTEM, "the system gives no thread for a stream");
}

int sim_put(struct stream *stream, struct item what)
{
    struct sim *sim = stream->sim;
    struct item *item = malloc(sizeof *item);
    if (!item)
        return device_fail(DIST_ERR_MEMORY, "the system gives no memory for one more entry of a stream");
    *item = what;
    item->next = NULL;
    item->stream = stream;
    item->asked = sim->self->seen_on_stream ? launch_clock_ns() : 0;
    pthread_mutex_lock(&sim_lock);
    int status = stream->thread.runs ? DIST_OK : sim_stream_start(stream);
    if (status != DIST_OK) { /* nobody would ever do it */
        pthread_mutex_unlock(&sim_lock);
        free(item);
        return status;
    }
    if (item->event)
        item->event->users++;
    *stream->end = item;
    stream->end = &item->next;
    stream->put++;
    sim_stand(item);
    sim_notify(sim);
    pthread_mutex_unlock(&sim_lock);
    return DIST_OK;
}

int sim_launch(struct stream *stream, const struct kernel *kernel)
{
    return sim_put(stream, (struct item){ .kind = ITEM_KERNEL, .kernel = *kernel });
}

int sim_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way)
{
    return sim_put(stream, (struct item){ .kind = ITEM_COPY, .copy = { to, from, bytes, way } });
}
