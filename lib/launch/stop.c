/* stop.c: end the ranks when the job has failed: first let them end by themselves, then ask, then make them. */
#define _GNU_SOURCE
#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

/* Ranks in a dist call see the failure at once and end by themselves; these are for the others. */
#define ASK_AFTER 300  /* ms until SIGTERM */
#define MAKE_AFTER 700 /* ms until SIGKILL */

int64_t job_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void signal_all(const struct job *job, int number)
{
    for (int i = 0; i < job->processes; i++)
        if (job->pids[i] > 0)
            kill(job->pids[i], number);
}

void job_stop_begin(struct job *job)
{
    job->stopping = true;
    job->stop_began = job_clock();
    for (int rank = 0; rank < job->plan.size; rank++) {
        const struct rank_slot *slot = &job->world.header->slots[rank];
        const struct rank_notes *notes = world_notes(&job->world, rank);
        struct rank_note *note = &job->notes[rank];
        note->now = atomic_load(&slot->call);
        note->last = atomic_load(&slot->last_call);
        snprintf(note->host_call, sizeof note->host_call, "%s", notes->host_call);
        note->host_site = notes->host_site;
    }
    if (job->interrupt)
        signal_all(job, job->interrupt);
}

int job_stop_step(struct job *job)
{
    int64_t passed = job_clock() - job->stop_began;
    if (passed >= MAKE_AFTER && job->stop_step != SIGKILL) {
        job->stop_step = SIGKILL;
        signal_all(job, SIGKILL);
    } else if (passed >= ASK_AFTER && job->stop_step == 0) {
        job->stop_step = SIGTERM;
        signal_all(job, SIGTERM);
    }
    int64_t next = job->stop_step == 0 ? ASK_AFTER : MAKE_AFTER;
    return next > passed ? (int)(next - passed) : 100;
}
