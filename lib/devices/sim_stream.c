/* sim_stream.c: what a stream was given, and the thread that does it. */
#define _GNU_SOURCE
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NAP 1000 /* ms; nobody depends on it */

static void sim_notify(const struct sim *sim)
{
    eventcount_notify(&launch_slot(sim->self)->eventcount);
}

/* An event has passed: tell its rank, and the others whose streams may stand at it. */
static void sim_stream_tell(const struct event *event)
{
    if (!event)
        return;
    struct world_header *world = event->sim->self->world.header;
    sim_notify(event->sim);
    for (int i = 0; event->abroad && i < world->size; i++)
        if (event->abroad < 0 || event->abroad == i + 1)
            eventcount_notify(&world->slots[i].eventcount);
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
        streams_lock();
        over = link_put(item->copy.way == COPY_TO_HOST ? &sim->out : &sim->in, (double)item->copy.bytes, 1);
        streams_unlock();
    }
    memmove(world_open_view(&sim->self->world, item->copy.to),
            world_open_view(&sim->self->world, item->copy.from), item->copy.bytes);
    sim_stream_sleep_until(stream->thread.note, over);
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
    struct launch_self *self = stream->sim->self;
    int64_t begin = launch_clock_ns();
    if (item->kind == ITEM_KERNEL)
        sim_stream_do_kernel(stream, item);
    else if (item->kind == ITEM_COPY)
        sim_stream_do_copy(stream, item);
    else
        return;
    if (self->seen_on_stream)
        self->seen_on_stream(self, stream->number, item->kind == ITEM_COPY ? "copy" : item->kernel.name,
                             item->asked, begin, launch_clock_ns());
}

/* ---- the thread ------------------------------------------------------------------------ */

static bool sim_stream_may_pass(const struct item *item)
{
    return item->kind != ITEM_FOLLOW || item->event->open || item->event->passed >= item->mark;
}

/* With the lock held: is there something to do, or nothing ever again? */
static bool sim_stream_has_news(const struct stream *stream)
{
    return stream->todo ? sim_stream_may_pass(stream->todo) : stream->stop;
}

static bool sim_stream_news(void *argument)
{
    struct stream *stream = argument;
    streams_lock();
    bool any = sim_stream_has_news(stream);
    streams_unlock();
    return any;
}

/* With the lock held: do the first item, during which the lock is free. */
static void sim_stream_step(struct stream *stream)
{
    struct item *item = stream->todo;
    streams_unlock();
    sim_stream_do_item(stream, item);
    streams_lock();
    if (item->kind == ITEM_RECORD) {
        item->event->passed = item->mark;
        item->event->time = launch_clock_ns();
        sim_stream_tell(item->event);
    }
    stream->todo = item->next;
    stream->done++;
    if (!stream->todo || item->kind == ITEM_RECORD)
        sim_notify(stream->sim);
    stream_free_item(item);
}

/* A GPU computes beside the processor, not in its place: what computes here steps back for the threads that enqueue and
 * communicate. Refused or not, the results are the same. */
#define STEP_BACK 5

static void sim_stream_main(void *argument)
{
    struct stream *stream = argument;
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + STEP_BACK); /* 0: this thread */
    streams_lock();
    while (stream->todo || !stream->stop) {
        if (sim_stream_has_news(stream)) {
            sim_stream_step(stream);
            continue;
        }
        streams_unlock();
        eventcount_sleep(stream->thread.eventcount, sim_stream_news, stream, NAP, stream->thread.note);
        streams_lock();
    }
    streams_unlock();
}

/* ---- what streams are given ---------------------------------------------------------------- */

static int sim_stream_check(struct stream *stream)
{
    struct launch_self *self = stream->sim->self;
    if (stream->thread.runs)
        return DIST_OK;
    stream->thread = (struct worker){ .self = self,
                                      .name = "dist stream",
                                      .work = sim_stream_main,
                                      .argument = stream,
                                      .note = &launch_notes(self)->streams[1 + stream->number],
                                      .eventcount = &launch_slot(self)->eventcount };
    return worker_start(&stream->thread)
               ? DIST_OK
               : device_fail(DIST_ERR_SYSTEM, "the system gives no thread for a stream");
}

/* The thread needs not see what has passed by the time when it comes there. */
static int sim_stream_give(struct stream *stream, const struct item *what)
{
    bool follows = what->kind == ITEM_FOLLOW;
    int rank = 1 + stream->sim->self->env.rank;
    if (follows && what->event->sim != stream->sim)
        what->event->abroad = what->event->abroad == 0 || what->event->abroad == rank ? rank : -1;
    if (follows && !stream->todo && sim_stream_may_pass(what)) {
        stream->done++;
    } else {
        struct item *item = stream_new_item(what);
        if (!item)
            return DIST_ERR_MEMORY;
        *(stream->todo ? &stream->last->next : &stream->todo) = item;
        stream->last = item;
    }
    sim_notify(stream->sim);
    return DIST_OK;
}

static int sim_stream_refused(struct stream *stream, int error, bool late)
{
    struct launch_self *self = stream->sim->self;
    if (late)
        world_fail(&self->world, self->env.rank, END_ERROR, error, device_why());
    return error;
}

static bool sim_stream_past(struct event *event)
{
    return event->open || event->passed >= event->marks;
}

const struct engine sim_engine = {
    .check = sim_stream_check,
    .give = sim_stream_give,
    .refused = sim_stream_refused,
    .past = sim_stream_past,
    .news = sim_stream_tell,
};

/* ---- the device's calls ------------------------------------------------------------------ */

struct stream *sim_stream_new(void *state, int number)
{
    struct sim *sim = state;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){ .engine = &sim_engine, .sim = sim, .number = number, .end = &stream->first };
    streams_lock();
    sim->streams[1 + number] = stream;
    streams_unlock();
    return stream;
}

void sim_stream_free(struct stream *stream)
{
    struct sim *sim = stream->sim;
    streams_lock();
    stream->stop = true;
    streams_unlock();
    eventcount_advance(&launch_slot(sim->self)->eventcount);
    worker_join(&stream->thread);
    streams_lock();
    stream_end(stream, sim->streams, &sim->retired);
    streams_unlock();
    free(stream);
}

bool sim_stream_passed(struct stream *stream)
{
    streams_lock();
    bool passed = stream->done == stream->put;
    streams_unlock();
    return passed;
}
