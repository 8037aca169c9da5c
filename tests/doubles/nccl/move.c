/*
 * move.c: kernels of the double.
 *
 * A kernel is a gate in the stream, at which the stream stands until a thread has done the kernel's steps and opens it. With
 * `moves` the steps really take place: a send leaves a letter that the receive in another rank's kernel takes; a collective
 * waits for all. As with NCCL the order decides what meets what, too short a receive cuts a message off, and what does
 * not fit together never ends, until its communicator is aborted.
 */
#define _GNU_SOURCE
#include "double.h"
#include "../../../lib/devices/sim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct letter {
    struct place *place;
    int src, dst;
    const void *data;
    size_t bytes;
    bool taken;
    struct letter *next;
};

struct kernel_run {
    struct step *steps;
    struct letter **letters; /* those of sends */
    struct round **rounds;   /* those of collectives */
    bool *done;
    int count;
    struct stream *stream;
    struct event *event;
    struct gate *gate;
    struct kernel_run *next;
};

static struct letter *letters;
static struct round *rounds;
static struct kernel_run
    *waiting[DOUBLE_RANKS];        /* a rank's kernels, one after the other: it has one stream */
static bool at_work[DOUBLE_RANKS]; /* a thread is at them */

/* ---- one step, with the lock held: true, it is done ---------------------------------------------- */

static bool fit_together(const struct round *round)
{
    const struct step *a = &round->steps[0];
    for (int i = 1; i < a->comm->size; i++) {
        const struct step *b = &round->steps[i];
        if (strcmp(a->name, b->name) != 0 || a->count != b->count || a->type != b->type || a->peer != b->peer)
            return false;
    }
    return true;
}

static struct round *round_of(const struct step *step)
{
    uint32_t number = ++step->comm->collectives;
    struct round *round = rounds;
    while (round && (round->place != step->comm->place || round->number != number))
        round = round->next;
    if (!round) {
        round = double_keep(sizeof *round);
        *round = (struct round){ .place = step->comm->place, .number = number, .next = rounds };
        rounds = round;
    }
    round->steps[step->comm->rank] = *step;
    if (++round->came == step->comm->size && fit_together(round)) {
        double_perform(round);
        round->over = true;
        pthread_cond_broadcast(&double_news);
    }
    return round;
}

static struct letter *letter_for(const struct step *step)
{
    struct letter *letter = letters;
    while (letter && (letter->taken || letter->place != step->comm->place || letter->src != step->peer ||
                      letter->dst != step->comm->rank))
        letter = letter->next;
    return letter;
}

static struct letter *write_letter(const struct step *step)
{
    struct letter *letter = double_keep(sizeof *letter), **end = &letters;
    pthread_cond_broadcast(&double_news);
    *letter = (struct letter){ step->comm->place,
                               step->comm->rank,
                               step->peer,
                               step->in,
                               step->count * dtype_size(type_of(step->type)),
                               false,
                               NULL };
    while (*end)
        end = &(*end)->next;
    return *end = letter;
}

static bool do_step(struct kernel_run *run, int i)
{
    struct step *step = &run->steps[i];
    if (strcmp(step->name, "Send") == 0) {
        run->letters[i] = run->letters[i] ? run->letters[i] : write_letter(step);
        return run->letters[i]->taken;
    }
    if (strcmp(step->name, "Recv") != 0) {
        run->rounds[i] = run->rounds[i] ? run->rounds[i] : round_of(step);
        return run->rounds[i]->over;
    }
    for (int j = 0; j < i; j++) /* in their order */
        if (!run->done[j] && strcmp(run->steps[j].name, "Recv") == 0 && run->steps[j].peer == step->peer)
            return false;
    struct letter *letter = letter_for(step);
    size_t room = step->count * dtype_size(type_of(step->type));
    if (!letter)
        return false;
    size_t bytes = letter->bytes < room ? letter->bytes : room;
    if (bytes > 0)
        memcpy(step->out, letter->data, bytes);
    pthread_cond_broadcast(&double_news);
    return letter->taken = true;
}

/* ---- kernels -------------------------------------------------------------------------------------- */

/* True: all done, or aborted. Whatever this kernel has laid down, another may have waited for. */
static bool go_on(struct kernel_run *run, bool *moved)
{
    bool over = script.moves;
    *moved = false;
    for (int i = 0; i < run->count; i++) {
        if (run->steps[i].comm->aborted)
            return true;
        if (script.moves && !run->done[i] && do_step(run, i))
            run->done[i] = *moved = true;
        over = over && run->done[i];
    }
    return over;
}

static void run_kernel(struct kernel_run *run)
{
    while (!device_sim.event_passed(run->event) && !run->steps[0].comm->aborted)
        usleep(20);
    pthread_mutex_lock(&double_lock);
    for (bool moved; !go_on(run, &moved);)
        if (!moved) /* else an earlier step may go on now: a message to itself */
            pthread_cond_wait(&double_news, &double_lock);
    pthread_mutex_unlock(&double_lock);
    device_sim.gate_open(run->gate);
    device_sim.gate_free(run->gate);
    device_sim.event_free(run->event);
    free(run->steps);
    free(run->letters);
    free(run->rounds);
    free(run->done);
    free(run);
}

static void *kernels_main(void *argument)
{
    struct sim *sim = argument;
    int rank = sim->self->env.rank;
    pthread_mutex_lock(&double_lock);
    for (struct kernel_run *run; (run = waiting[rank]);) {
        waiting[rank] = run->next;
        pthread_mutex_unlock(&double_lock);
        run_kernel(run);
        pthread_mutex_lock(&double_lock);
    }
    at_work[rank] = false;
    atomic_store(&world_notes(&sim->self->world, rank)->streams[NOTE_STREAMS - 1].epoch, 0);
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_lock); /* from here on the GPU may be gone */
    return NULL;
}

void double_rest(int rank)
{
    pthread_mutex_lock(&double_lock);
    while (at_work[rank])
        pthread_cond_wait(&double_news, &double_lock);
    pthread_mutex_unlock(&double_lock);
}

/* While it works the watcher must not think that nothing moves: as with a real GPU's. */
static void enqueue(struct kernel_run *run)
{
    struct sim *sim = run->stream->sim;
    int rank = sim->self->env.rank;
    struct kernel_run **end = &waiting[rank];
    pthread_t thread;
    pthread_mutex_lock(&double_lock);
    while (*end)
        end = &(*end)->next;
    *end = run;
    if (!at_work[rank]) {
        at_work[rank] = true;
        atomic_store(&world_notes(&sim->self->world, rank)->streams[NOTE_STREAMS - 1].epoch, 2);
        pthread_create(&thread, NULL, kernels_main, sim);
        pthread_detach(thread);
    }
    pthread_mutex_unlock(&double_lock);
}

static void launch(const struct step *steps, int count)
{
    struct stream *stream = (struct stream *)(void *)steps->stream;
    struct kernel_run *run = calloc(1, sizeof *run);
    run->steps = calloc((size_t)count, sizeof *steps);
    run->letters = calloc((size_t)count, sizeof *run->letters);
    run->rounds = calloc((size_t)count, sizeof *run->rounds);
    run->done = calloc((size_t)count, sizeof *run->done);
    memcpy(run->steps, steps, (size_t)count * sizeof *steps);
    run->count = count;
    run->stream = stream;
    run->event = device_sim.event_new(stream->sim);
    run->gate = device_sim.gate_new(stream->sim);
    pthread_mutex_lock(&sim_lock);
    run->gate->sure = true; /* what was launched comes to its end by itself, as on a real GPU */
    pthread_mutex_unlock(&sim_lock);
    device_sim.event_record(run->event, stream);
    device_sim.gate_hold(run->gate, stream);
    enqueue(run);
}

/* A kernel for each communicator, as NCCL does it: those of several go one after the other, though they are one group. */
void move_launch(const struct step *steps, int count)
{
    struct step *part = calloc((size_t)count, sizeof *part);
    for (int first = 0; (script.moves || script.hangs) && first < count; first++) {
        bool again = false;
        int taken = 0;
        for (int i = 0; i < first; i++)
            again |= steps[i].comm == steps[first].comm;
        for (int i = first; i < count && !again; i++)
            if (steps[i].comm == steps[first].comm)
                part[taken++] = steps[i];
        if (taken > 0)
            launch(part, taken);
    }
    free(part);
}
