/* watch.c: wait for whatever happens to the ranks, and act on it. */
#define _GNU_SOURCE
#include "job.h"
#include "whole.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS UINT64_MAX /* the signalfd among the events; the others are numbers of streams */
#define LOOK_EVERY 10      /* ms: for what makes no noise, also while somebody prints without end */
#define LAST_WORDS 50      /* ms to wait for pipes that a grandchild keeps open after all ranks have ended */
#define REAP_EVERY 10      /* looks: a rank's end makes a signal, but signals can be lost */
#define EVENTS 64
#define GRACE 30000 /* ms that ranks have which catch SIGTERM */

/* End the job without a report for each rank. */
static void watch_end_quietly(struct job *job, int number)
{
    if (world_fail(&job->world, -1, END_SIGNAL, number, ""))
        world_told(&job->world);
}

/* Has the process a handler for the signal? The kernel tells as a hexadecimal mask. */
static bool watch_catches(pid_t pid, int number)
{
    char line[128];
    unsigned long long caught = 0;
    if (text_find_line(words_of("/proc/%d/status", (int)pid).text, "SigCgt:", line, sizeof line))
        sscanf(line, "SigCgt: %llx", &caught);
    return caught >> (number - 1) & 1;
}

/* When somebody asks the job to end (SIGTERM), ranks that catch the signal are asked first: they may want to write a checkpoint. */
static bool watch_ask(struct job *job)
{
    bool any = false;
    for (int i = 0; i < job->processes; i++)
        if (job->ranks[i].pid > 0 && watch_catches(job->ranks[i].pid, SIGTERM))
            any |= kill(job->ranks[i].pid, SIGTERM) == 0;
    job->asked = any ? job_clock() : 0;
    return any;
}

/* A second Ctrl-C means: now. So does a second SIGTERM where ranks catch it: the first was theirs. */
void job_interrupt(struct job *job, int number)
{
    if (number == SIGTERM && !job->stopping && !job->interrupt && !job->asked && watch_ask(job))
        return;
    if (job->interrupt) {
        job->stop_began -= 1000000;
        control_wait_no_more(job, 128 + number);
    }
    job->interrupt = number;
    job->output.hurried = true;
    watch_end_quietly(job, number);
}

static bool watch_take_signals(struct job *job)
{
    struct signalfd_siginfo signal;
    bool child = false;
    while (read(job->signals_fd, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGCHLD)
            child = true;
        else {
            if (job->plan.nodes)
                control_put_all(job, -1, (struct frame){ FRAME_SIGNAL, (int)signal.ssi_signo, 0, { 0 } },
                                NULL);
            job_interrupt(job, (int)signal.ssi_signo);
        }
    }
    return child;
}

/* Whether the end of a process means that the job has failed. Ranks as threads tell the rest themselves. */
static void watch_judge(struct job *job, int process)
{
    int status = job->ranks[process].status;
    int rank = job->plan.threads ? -1 : process;
    if (WIFSIGNALED(status))
        world_fail(&job->world, rank, END_SIGNAL, WTERMSIG(status), "");
    else if (WEXITSTATUS(status) != 0)
        world_fail(&job->world, rank, END_EXIT, WEXITSTATUS(status), "");
    if (!job->plan.threads)
        launch_rank_ended(&job->world, rank);
}

/* What a rank was writing when its process ended. It may have an id of its own, in a PID namespace. */
static void watch_put_away(const struct job *job, int process, pid_t pid)
{
    char report[4096];
    int32_t own = job->plan.threads ? 0 : atomic_load(&job->world.header->slots[process].pid);
    settings_put_away(own > 0 ? own : pid);
    if (whole_own_path(report, sizeof report, WHOLE_OWN_REPORT))
        whole_put_away(report, own > 0 ? own : pid);
}

static void watch_reap(struct job *job)
{
    for (int i = 0; i < job->processes; i++) {
        if (job->ranks[i].pid == 0)
            continue;
        pid_t ended = waitpid(job->ranks[i].pid, &job->ranks[i].status, WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR))
            continue;
        watch_put_away(job, i, job->ranks[i].pid);
        job->ranks[i].pid = 0;
        job->alive--;
        watch_judge(job, i);
    }
}

/* A rank that has ended without joining keeps those that have joined waiting for ever. */
static void watch_look_for_missing(struct job *job)
{
    const struct world_header *header = job->world.header;
    int missing = -1;
    bool joined = job->others_joined;
    for (int rank = header->size - 1; rank >= 0; rank--) {
        uint32_t state = atomic_load(&header->slots[rank].state);
        joined |= state == RANK_JOINING || state == RANK_JOINED;
        if (state < RANK_JOINED && atomic_load(&header->slots[rank].pid) < 0)
            missing = rank;
    }
    if (joined && missing >= 0)
        world_fail(&job->world, missing, END_EXIT, 0, "");
}

/* One round: what has come in, who has ended, what follows from it. */
void job_watch_round(struct job *job, int timeout)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(job->output.events_fd, events, EVENTS, timeout);
    int64_t now = job_clock();
    bool quiet = count <= 0 || now - job->looked >= LOOK_EVERY, ended = false;
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 == SIGNALS)
            ended |= watch_take_signals(job);
        else if (events[i].data.u64 >= WATCH_NODES)
            control_read(job, (int)(events[i].data.u64 - WATCH_NODES));
        else
            output_read(&job->output, (int)events[i].data.u64);
    }
    job->quiet_rounds += quiet;
    if (ended || (quiet && job->quiet_rounds % REAP_EVERY == 0))
        watch_reap(job);
    if (ended || quiet) {
        job->looked = now;
        watch_look_for_missing(job);
        if (!job->plan.nodes)
            watch_calls.look(&job->world, -1);
    }
    output_flush(&job->output);
    if (job->plan.nodes)
        control_turn(job);
    if (job->output.error[0])
        watch_end_quietly(job, SIGPIPE);
    if (!job->stopping && job->asked && job_clock() - job->asked > GRACE)
        job_interrupt(job, SIGTERM);
    if (!job->stopping && (job->interrupt || world_failed(&job->world)))
        job_stop_begin(job);
}

/* Until our reader has taken all but so much. */
static void watch_let_read(struct job *job, size_t most)
{
    while (output_is_behind(&job->output, most))
        job_watch_round(job, 1);
}

/* All ranks have ended: what their pipes hold now is still theirs, and no more than that, since a grandchild may print without end. */
static void watch_take_the_rest(struct job *job)
{
    for (int i = 0; i < job->output.count; i++)
        for (size_t left = output_left_in(&job->output, i), taken = 0; taken < left; taken += OUTPUT_PIECE) {
            watch_let_read(job, OUTPUT_LINE);
            output_read(&job->output, i);
        }
}

void job_watch(struct job *job)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = SIGNALS };
    epoll_ctl(job->output.events_fd, EPOLL_CTL_ADD, job->signals_fd, &event);
    while (job->alive > 0) {
        int timeout = job->stopping ? job_stop_step(job) : LOOK_EVERY;
        job_watch_round(job, timeout < LOOK_EVERY ? timeout : LOOK_EVERY);
    }
    int64_t end = job_clock() + LAST_WORDS;
    for (int64_t left; job->output.open > 0 && (left = end - job_clock()) > 0;)
        job_watch_round(job, (int)left);
    watch_take_the_rest(job);
    if (job->plan.nodes)
        control_finish(job);
    for (int i = 0; i < job->output.count; i++)
        for (bool more = true; more; watch_let_read(job, OUTPUT_LINE))
            more = output_end_stream(&job->output, i);
    watch_let_read(job, 0);
}
