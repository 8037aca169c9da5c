/* queues.c: the double's hardware queues: each does one thing after the other, whatever stream it came from. */
#define _GNU_SOURCE
#include "runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct queue {
    struct work *first, **end;
    bool runs;
    pthread_t thread;
    unsigned random;
    unsigned long put, done;
};

static struct queue queues[GPUS][QUEUES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void queue_lock(void)
{
    pthread_mutex_lock(&lock);
}

void queue_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static bool may_run(const struct work *work)
{
    return work && (work->kind != WORK_WAIT || !work->record || work->record->passed);
}

static void do_kernel(struct kernel *kernel, int gpu)
{
    if (kernel_breaks(kernel, gpu))
        return;
    kernel->out = memory_open(kernel->out);
    for (int i = 0; i < KERNEL_INPUTS; i++)
        kernel->in[i] = kernel->in[i] ? memory_open(kernel->in[i]) : NULL;
    for (int i = 0; i < kernel->copies; i++)
        kernel->copy[i] = memory_open(kernel->copy[i]);
    host_launch(kernel);
}

static void unuse(struct record *record)
{
    if (record && --record->users == 0)
        free(record);
}

static struct record *record_anew(cudaEvent_t event)
{
    unuse(event->newest);
    event->newest = calloc(1, sizeof *event->newest);
    event->newest->users = 1;
    return event->newest;
}

/* ---- calls of the host's functions: on one thread for all, to which the driver gives no name ---- */

static struct work *call;

static void *calls_main(void *argument)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!call)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        call->call(call->argument);
        pthread_mutex_lock(&lock);
        call = NULL;
        pthread_cond_broadcast(&changed);
    }
    return argument;
}

static void do_call(struct work *work)
{
    static pthread_t thread;
    pthread_mutex_lock(&lock);
    while (call)
        pthread_cond_wait(&changed, &lock);
    if (!thread && pthread_create(&thread, NULL, calls_main, NULL) == 0) {
        pthread_setname_np(thread, program_invocation_short_name); /* which it has from who started it */
        pthread_detach(thread);
    }
    call = work;
    pthread_cond_broadcast(&changed);
    while (call == work)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* One in eight takes its time, so that whoever does not wait for it is found out. */
static void do_work(struct queue *queue, struct work *work)
{
    if (rand_r(&queue->random) % 8 == 0)
        usleep((unsigned)rand_r(&queue->random) % 300);
    if (double_broken())
        return;
    if (work->kind == WORK_KERNEL)
        do_kernel(&work->kernel, work->stream->gpu);
    else if (work->kind == WORK_COPY)
        memcpy(memory_open(work->to), memory_open(work->from), work->bytes);
    else if (work->kind == WORK_CALL)
        do_call(work);
    else if (work->kind == WORK_OWN)
        work->call(work->argument);
}

static void *queue_main(void *argument)
{
    struct queue *queue = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!may_run(queue->first))
            pthread_cond_wait(&changed, &lock);
        struct work *work = queue->first;
        pthread_mutex_unlock(&lock);
        do_work(queue, work);
        pthread_mutex_lock(&lock);
        if (work->kind == WORK_RECORD) {
            work->record->passed = true;
            work->record->time = double_now();
        }
        unuse(work->record);
        struct CUstream_st *stream = work->stream;
        stream->done++;
        queue->done++;
        if (stream->destroyed && stream->done == stream->put)
            free(stream);
        queue->first = work->next;
        if (!queue->first)
            queue->end = &queue->first;
        free(work);
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static void start(struct queue *queue)
{
    queue->end = &queue->first;
    queue->random = (unsigned)(queue - queues[0]) + 1;
    queue->runs = pthread_create(&queue->thread, NULL, queue_main, queue) == 0;
    pthread_setname_np(queue->thread, "cuda double"); /* the driver's are called so */
    pthread_detach(queue->thread);
}

void queue_put(const struct work *what)
{
    struct work *work = malloc(sizeof *work);
    *work = *what;
    work->next = NULL;
    pthread_mutex_lock(&lock);
    struct queue *queue = &queues[work->stream->gpu][work->stream->queue];
    if (!queue->runs)
        start(queue);
    if (work->kind == WORK_RECORD)
        work->record = record_anew(work->event);
    else if (work->kind == WORK_WAIT)
        work->record = work->event->newest;
    if (work->record)
        work->record->users++;
    *queue->end = work;
    queue->end = &work->next;
    work->stream->put++;
    queue->put++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* It goes when its last work is done. */
void queue_forget(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    stream->destroyed = true;
    if (stream->done == stream->put)
        free(stream);
    pthread_mutex_unlock(&lock);
}

void queue_drain(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    while (stream->done < stream->put)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* All that was put in by now. */
void queue_drain_gpu(int gpu)
{
    unsigned long until[QUEUES];
    pthread_mutex_lock(&lock);
    for (int q = 0; q < QUEUES; q++)
        until[q] = queues[gpu][q].put;
    for (int q = 0; q < QUEUES; q++)
        while (queues[gpu][q].done < until[q])
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
