/*
 * kernels.c: kernels of the double, one for each communicator of a group, and how they run on a simulated GPU: a kernel is a gate
 * in the stream, at which the stream stands until a thread has done the kernel's steps (move.c) and opens it.
 */
#define _GNU_SOURCE
#include "double.h"
#include "../../../lib/devices/sim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kernel_run
    *waiting[DOUBLE_RANKS];        /* a rank's kernels, one after the other: it has one stream */
static bool at_work[DOUBLE_RANKS]; /* a thread is at them */

void kernel_free(struct kernel_run *run)
{
    free(run->steps);
    free(run->letters);
    free(run->rounds);
    free(run->done);
    free(run);
}

static void run_kernel(struct kernel_run *run)
{
    const ncclComm_t comm = run->steps[0].comm;
    while (!mark_passed(run->event) && !comm->aborted)
        usleep(20);
    move_kernel(run);
    mark_open(run->gate);
    mark_free(run->gate);
    mark_free(run->event);
    kernel_free(run);
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
static void enqueue(struct kernel_run *run, struct sim *sim)
{
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

static void launch_simulated(struct kernel_run *run)
{
    struct stream *stream = (struct stream *)(void *)run->steps[0].stream;
    run->event = device_sim.event_new(stream->sim, false);
    run->gate = device_sim.gate_new(stream->sim);
    run->gate->given = 1; /* what was launched comes to its end by itself, as on a real GPU */
    mark_record(run->event, stream);
    mark_follow(run->gate, stream);
    enqueue(run, stream->sim);
}

static void launch(const struct step *steps, int count)
{
    struct kernel_run *run = calloc(1, sizeof *run);
    run->steps = calloc((size_t)count, sizeof *steps);
    run->letters = calloc((size_t)count, sizeof *run->letters);
    run->rounds = calloc((size_t)count, sizeof *run->rounds);
    run->done = calloc((size_t)count, sizeof *run->done);
    memcpy(run->steps, steps, (size_t)count * sizeof *steps);
    run->count = count;
    pthread_mutex_lock(&double_lock);
    run->steps[0].comm->running++;
    pthread_mutex_unlock(&double_lock);
    if (script.gpu)
        script.gpu->launch(run);
    else
        launch_simulated(run);
}

/* A kernel for each communicator, as NCCL does it: those of several go one after the other, though they are one group. */
void kernels_launch(const struct step *steps, int count)
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
