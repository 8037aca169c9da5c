/*
 * threads.c: ranks as threads of one process (DIST_RANKS=threads).
 *
 * The watcher starts one process, and that one a thread for each rank. What differs from processes: stdout and
 * stderr are shared, so a stream of our own looks which rank is printing; a crash or an exit() ends all
 * ranks, so the one that caused it is noted before.
 */
#define _GNU_SOURCE
#include "job.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CRASH_STACK (64 * 1024) /* for the handler: the thread's own stack may be what is full */

/* One rank's thread. */
struct rank_thread {
    struct launch_self self;
    pthread_t thread;
};

/* The job whose ranks live in this process, for handlers that get no argument. Set before the first thread starts. */
static struct job *hosted;
static struct rank_thread *ranks;

#ifdef __GLIBC__ /* musl's stdout cannot be replaced: there the lines of all ranks are the process's own */

/* Bytes written by a rank go to the rank's pipe, others to the process's own. What could not be written is told by a smaller
 * number, never by -1: glibc's stream takes that for a count, and writes a byte from behind the text. */
static ssize_t threads_write(void *target, const char *bytes, size_t size)
{
    const struct launch_self *self = launch_self_if_any();
    int channel = self ? self->env.rank : hosted->plan.size;
    return (ssize_t)text_write(hosted->output.streams[2 * channel + *(int *)target].write_fd, bytes, size);
}

/* Unbuffered: a buffer would be shared by all ranks and mix their lines. The watcher puts lines together. */
static bool threads_replace_stdio(void)
{
    static int targets[2] = { 0, 1 };
    FILE *files[2];
    for (int i = 0; i < 2; i++) {
        files[i] = fopencookie(&targets[i], "w", (cookie_io_functions_t){ .write = threads_write });
        if (!files[i])
            return false;
        setvbuf(files[i], NULL, _IONBF, 0);
    }
    stdout = files[0];
    stderr = files[1];
    return true;
}

#else

static bool threads_replace_stdio(void)
{
    return true;
}

#endif

static void threads_note_crash(int number)
{
    const struct launch_self *self = launch_self_if_any();
    world_tell_begins();
    if (!launch_is_forked())
        world_fail(&hosted->world, self ? self->env.rank : -1, END_SIGNAL, number, "");
    signal(number, SIG_DFL);
    raise(number);
}

/* A sanitizer has handlers of its own that tell more; leave them. */
static void threads_catch_crashes(void)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    struct sigaction before, note = { .sa_handler = threads_note_crash, .sa_flags = SA_ONSTACK };
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        if (sigaction(crashes[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(crashes[i], &note, NULL);
}

/* exit() by one rank ends all. A second must not run the handlers at the same time. The watcher sees with which status. */
static void threads_note_exit(void)
{
    static _Atomic int exiting;
    const struct launch_self *self = launch_self_if_any();
    if (!self || launch_is_forked())
        return;
    if (atomic_fetch_add(&exiting, 1) > 0)
        for (;;)
            pause();
    world_tell_begins(); /* the others wait until this process has ended, with the status that exit was given */
    if (world_fail(&hosted->world, self->env.rank, END_EXIT, -1, ""))
        return;
    world_tell_over();
    world_let_tell(); /* who was first tells, and ends it */
}

static void threads_rank_ended(void *argument)
{
    struct launch_self *self = argument;
    launch_rank_ended(&self->world, self->env.rank);
}

static void *threads_run(void *argument)
{
    struct rank_thread *rank = argument;
    char *crash_stack = malloc(CRASH_STACK);
    if (crash_stack)
        sigaltstack(&(stack_t){ .ss_sp = crash_stack, .ss_size = CRASH_STACK }, NULL);
    prctl(PR_SET_NAME, words_of("rank %d", rank->self.env.rank).text);
    launch_become(&rank->self);
    pthread_cleanup_push(threads_rank_ended, &rank->self); /* run() may end by pthread_exit */
    hosted->plan.run(rank->self.env.rank, hosted->plan.size);
    if (launch_is_forked()) /* a child that has come back from run() */
        exit(0);
    pthread_cleanup_pop(1);
    sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    free(crash_stack);
    return NULL;
}

struct launch_self *threads_self_by_name(void)
{
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    int rank = strncmp(name, "rank ", 5) == 0 ? atoi(name + 5) : -1;
    bool is = rank >= 0 && rank < hosted->plan.size && strcmp(name, words_of("rank %d", rank).text) == 0;
    return is ? &ranks[rank].self : NULL;
}

/* The watcher tells it: a thread that runs already may end this process at any moment. They are stopped as they are. */
static _Noreturn void threads_give_up(int started)
{
    struct words cause =
        words_of("dist_spawn: only %d of %d ranks could be started as threads; allow more (ulimit -u, "
                 "ulimit -v), or start fewer ranks",
                 started, hosted->plan.size);
    world_fail(&hosted->world, -1, END_ERROR, DIST_ERR_SYSTEM, cause.text);
    world_let_tell(); /* one that was first, and that _exit would end between its sentence and the word that it has told */
    _exit(DIST_ERR_SYSTEM);
}

void threads_start(struct job *job, int unused)
{
    (void)unused;
    hosted = job;
    atomic_store(&job->world.header->one_process, 1);
    launch_ranks_are_threads();
    if (threads_replace_stdio())
        ranks = calloc((size_t)job->plan.size, sizeof *ranks);
    threads_catch_crashes();
    atexit(threads_note_exit);
    int started = 0;
    for (; ranks && started < job->plan.size; started++) {
        launch_be_spawned(&ranks[started].self, job, started);
        ranks[started].self.threads = true;
        if (pthread_create(&ranks[started].thread, NULL, threads_run, &ranks[started]) != 0)
            break;
    }
    if (started < job->plan.size)
        threads_give_up(started);
    for (int i = 0; i < started; i++)
        pthread_join(ranks[i].thread, NULL);
    exit(0); /* `ranks` stays: what the library keeps per rank hangs on it */
}
