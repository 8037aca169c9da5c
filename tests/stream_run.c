/* stream_run.c: one rank's part of random programs over streams, on its GPU. */
#define _GNU_SOURCE
#include "stream_program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOAD 20000 /* elements that a stream is busy with */

/* One rank, and a program that it does. */
struct runner {
    struct exam *exam;
    struct program program;
    struct model model; /* all that has been done before the step at hand, by everybody */
    int rank, at;
    dist_stream *streams[STREAMS];
    tensor *tensors[TENSORS], *loads[STREAMS];
    dist_event *events[EVENTS];
    dist_work *works[STEPS];
};

static tensor *slice(const struct runner *r, struct place place)
{
    if (place.count == 0)
        return NULL;
    return tensor_slice(r->tensors[place.tensor], place.begin * GRAIN, (place.begin + place.count) * GRAIN);
}

/* ---- looking ---------------------------------------------------------------------------- */

static void compare(struct runner *r, struct place place)
{
    int64_t found[GRAINS * GRAIN];
    const int64_t *right = &r->model.cells[r->rank][place.tensor][place.begin * GRAIN];
    tensor *t = slice(r, place);
    tensor_read(t, found);
    tensor_free(t);
    int i = 0;
    while (i < place.count * GRAIN - 1 && found[i] == right[i])
        i++;
    exam_check(
        r->exam, found[i] == right[i],
        "program %llu of %d ranks, step %d: rank %d finds %lld in element %d of tensor %d; must be %lld",
        (unsigned long long)r->program.seed, r->program.ranks, r->at, r->rank, (long long)found[i],
        place.begin * GRAIN + i, place.tensor, (long long)right[i]);
}

static void write_all(const struct runner *r, struct place place, int value)
{
    int64_t values[GRAINS * GRAIN];
    tensor *t = slice(r, place);
    for (int i = 0; i < place.count * GRAIN; i++)
        values[i] = value;
    tensor_write(t, values);
    tensor_free(t);
}

/* ---- calls of this rank alone --------------------------------------------------------------- */

static void do_kernel(const struct runner *r, const struct step *step)
{
    const struct part *part = &step->parts[r->rank];
    tensor *out = slice(r, part->out), *in = slice(r, part->in);
    if (step->kind == STEP_FILL)
        tensor_fill(out, step->value);
    else if (step->kind == STEP_ADD)
        tensor_add(out, in);
    else if (step->kind == STEP_SUB)
        tensor_sub(out, in);
    else
        tensor_copy(out, in);
    tensor_free(out);
    tensor_free(in);
}

static void remake(struct runner *r, const struct step *step)
{
    tensor **t = &r->tensors[step->parts[r->rank].out.tensor];
    tensor_free(*t);
    *t = tensor_full(DIST_I64, step->value, GRAINS * GRAIN);
}

static void record(struct runner *r, int which)
{
    dist_event_free(r->events[which]);
    r->events[which] = dist_event_record();
}

/* `stream` waits for `behind`. */
static void put_in_order(dist_stream *stream, dist_stream *behind)
{
    dist_stream_use(behind);
    dist_event *event = dist_event_record();
    dist_stream_use(stream);
    dist_event_wait(event);
    dist_event_free(event);
}

static void do_order(struct runner *r, const struct step *step)
{
    int stream = step->parts[r->rank].stream;
    if (step->kind == STEP_ORDER)
        put_in_order(r->streams[stream], r->streams[step->other]);
    else if (step->kind == STEP_RECORD)
        record(r, step->other);
    else if (step->kind == STEP_FOLLOW && r->events[step->other])
        dist_event_wait(r->events[step->other]);
    else if (step->kind == STEP_SYNCHRONIZE)
        dist_stream_synchronize(r->streams[stream]);
    else if (step->kind == STEP_SYNCHRONIZE_ALL)
        dist_synchronize();
    else if (step->kind == STEP_WAIT)
        exam_check(r->exam, dist_wait(r->works[step->other]) >= 0, "dist_wait failed");
}

static void do_alone(struct runner *r, const struct step *step)
{
    if (step->kind <= STEP_COPY)
        do_kernel(r, step);
    else if (step->kind == STEP_BUSY)
        tensor_fill(r->loads[step->parts[r->rank].stream], step->value);
    else if (step->kind == STEP_NAP)
        usleep((useconds_t)(step->value % 50));
    else if (step->kind == STEP_READ)
        compare(r, step->parts[r->rank].in);
    else if (step->kind == STEP_WRITE)
        write_all(r, step->parts[r->rank].out, step->value);
    else if (step->kind == STEP_REMAKE)
        remake(r, step);
    else
        do_order(r, step);
}

/* ---- calls of several -------------------------------------------------------------------------- */

static void do_message(struct runner *r, const struct step *step)
{
    const struct part *part = &step->parts[r->rank];
    bool sends = r->rank == step->rank;
    int peer = sends ? step->peer : step->any ? DIST_ANY_SOURCE : step->rank, result = 0;
    tensor *t = slice(r, sends ? part->in : part->out);
    if (part->starts)
        r->works[r->at] = sends ? dist_isend(t, peer, .tag = r->at) : dist_irecv(t, peer, .tag = r->at);
    else
        result = sends ? dist_send(t, peer, .tag = r->at) : dist_recv(t, peer, .tag = r->at);
    exam_check(r->exam, result == (sends || part->starts ? 0 : step->rank), "a message gave %d", result);
    tensor_free(t);
}

static void do_collective(struct runner *r, const struct step *step)
{
    const struct part *part = &step->parts[r->rank];
    tensor *in = slice(r, part->in), *out = slice(r, part->out);
    r->works[r->at] = stream_collective(step->collective, out, in, step->rank, part->starts);
    tensor_free(in);
    tensor_free(out);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void do_step(struct runner *r)
{
    const struct step *step = &r->program.steps[r->at];
    bool ours = step->rank == r->rank || step->peer == r->rank || step->kind == STEP_COLLECTIVE;
    if (ours)
        dist_stream_use(r->streams[step->parts[r->rank].stream]);
    if (ours && step->kind == STEP_MESSAGE)
        do_message(r, step);
    else if (ours && step->kind == STEP_COLLECTIVE)
        do_collective(r, step);
    else if (ours)
        do_alone(r, step);
    model_do(&r->model, &r->program, step);
}

static void open_tensors(struct runner *r)
{
    dist_stream_use(NULL);
    for (int t = 0; t < TENSORS; t++)
        r->tensors[t] = tensor_full(DIST_I64, program_first(r->rank, t), GRAINS * GRAIN);
    for (int s = 0; s < r->program.streams; s++) {
        r->streams[s] = s > 0 ? dist_stream_new() : NULL;
        r->loads[s] = tensor_zeros(DIST_I32, LOAD);
    }
    dist_stream_synchronize(NULL);
}

static void close_tensors(struct runner *r)
{
    dist_synchronize();
    dist_stream_use(NULL);
    for (int t = 0; t < TENSORS; t++)
        compare(r, (struct place){ t, 0, GRAINS });
    for (int t = 0; t < TENSORS; t++)
        tensor_free(r->tensors[t]);
    for (int s = 0; s < r->program.streams; s++)
        tensor_free(r->loads[s]);
    for (int s = 1; s < r->program.streams; s++)
        dist_stream_free(r->streams[s]);
    for (int i = 0; i < EVENTS; i++)
        dist_event_free(r->events[i]);
    memset(r->events, 0, sizeof r->events);
}

static void do_program(struct runner *r)
{
    model_begin(&r->model, &r->program);
    open_tensors(r);
    for (r->at = 0; r->at < r->program.count; r->at++)
        do_step(r);
    close_tensors(r);
}

void stream_body(struct exam *exam, int rank, int size)
{
    const struct stream_plan *plan = exam->given;
    struct runner *r = calloc(1, sizeof *r);
    if (r == NULL)
        abort();
    r->exam = exam;
    r->rank = rank;
    for (int i = 0; i < plan->programs && atomic_load(&exam->faults) == 0; i++) {
        program_draw(&r->program, exam->seed + (uint64_t)i, size);
        exam_check(exam, program_race(&r->program) < 0, "program %llu races by itself",
                   (unsigned long long)r->program.seed);
        if (!plan->spoil || program_spoil(&r->program))
            do_program(r);
    }
    free(r);
}
