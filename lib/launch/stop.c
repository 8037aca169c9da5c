/*
 * stop.c: end the ranks when the job has failed: first let them end by themselves, then ask, then make them. When somebody
 * asks the job to end (SIGTERM), ranks that catch the signal are asked first: they may want to write a checkpoint.
 */
#define _GNU_SOURCE
#include "job.h"

#include <signal.h>
#include <stdio.h>

/* Ranks in a dist call see the failure at once and end by themselves; these are for the others. */
#define ASK_AFTER 300  /* ms until SIGTERM */
#define MAKE_AFTER 700 /* ms until SIGKILL */
#define TELL_LOOK \
    20 /* ms between two looks whether a rank has told: none counts for more, as one on a busy machine would */
#define GRACE 30000 /* ms that ranks have which catch SIGTERM */

int64_t job_clock(void)
{
    return launch_clock_ns() / 1000000;
}

void job_signal_all(const struct job *job, int number)
{
    for (int i = 0; i < job->processes; i++)
        if (job->pids[i] > 0)
            kill(job->pids[i], number);
}

/* Has the process a handler for the signal? The kernel tells as a hexadecimal mask. */
static bool stop_catches(pid_t pid, int number)
{
    char path[40], line[128];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    if (file)
        fclose(file);
    return caught >> (number - 1) & 1;
}

bool job_ask(struct job *job)
{
    bool any = false;
    for (int i = 0; i < job->processes; i++)
        if (job->pids[i] > 0 && stop_catches(job->pids[i], SIGTERM))
            any |= kill(job->pids[i], SIGTERM) == 0;
    job->asked = any ? job_clock() : 0;
    return any;
}

bool job_grace_is_over(const struct job *job)
{
    return job->asked && job_clock() - job->asked > GRACE;
}

void job_note_rank(struct job *job, int rank)
{
    const struct rank_slot *slot = &job->world.header->slots[rank];
    const struct rank_notes *notes = world_notes(&job->world, rank);
    struct rank_note *note = &job->notes[rank];
    note->now = atomic_load(&slot->call);
    note->last = atomic_load(&slot->last_call);
    snprintf(note->host_call, sizeof note->host_call, "%s", notes->host_call);
    note->host_site = notes->host_site;
}

void job_stop_begin(struct job *job)
{
    job->stopping = true;
    job->stop_began = job_clock();
    for (int rank = 0; rank < job->plan.size; rank++)
        job_note_rank(job, rank);
    if (job->interrupt)
        job_signal_all(job, job->interrupt);
}

/* Were it ended between its sentence and the word that it has told, the job's end would be told twice. */
static bool stop_lets_tell(struct job *job)
{
    bool told;
    int64_t now = job_clock(), passed = now - job->let_tell_seen;
    int teller = world_teller(&job->world, &told), process = job->plan.threads ? 0 : teller;
    job->let_tell += passed < TELL_LOOK ? passed : TELL_LOOK;
    job->let_tell_seen = now;
    return !told && teller >= 0 && process < job->processes && job->pids[process] > 0 && !job->interrupt &&
           job->let_tell < LAUNCH_TELL_MS;
}

int job_stop_step(struct job *job)
{
    int64_t passed = job_clock() - job->stop_began;
    if (passed >= ASK_AFTER && stop_lets_tell(job))
        return TELL_LOOK;
    if (passed >= MAKE_AFTER && job->stop_step != SIGKILL) {
        job->stop_step = SIGKILL;
        job_signal_all(job, SIGKILL);
    } else if (passed >= ASK_AFTER && job->stop_step == 0) {
        job->stop_step = SIGTERM;
        job_signal_all(job, SIGTERM);
    }
    int64_t next = job->stop_step == 0 ? ASK_AFTER : MAKE_AFTER;
    return next > passed ? (int)(next - passed) : 100;
}
