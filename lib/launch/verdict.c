/* verdict.c: one report for the whole job: which rank failed first, how and where, and who was stopped. */
#define _GNU_SOURCE
#include "job.h"
#include "../dist.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define PLACES 8 /* more different places than this are not told one by one */

/* A text that grows to its end and never beyond. */
struct text {
    char bytes[4096];
    size_t used;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof text->bytes - text->used;
    int size = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    if (size > 0)
        text->used += (size_t)size < room ? (size_t)size : room - 1;
}

/* The end of the run of neighbours that begins at `first`. Two neighbours are listed, three are a run. */
static int run_end(const bool *in, int size, int first)
{
    int end = first;
    while (end + 1 < size && in[end + 1])
        end++;
    return end - first >= 2 ? end : first;
}

/* "rank 0", "ranks 0, 1 and 3", "ranks 0 to 62". Returns how many. */
static int say_ranks(struct text *text, const bool *in, int size)
{
    int count = 0, pieces = 0, said = 0;
    for (int rank = 0; rank < size; rank++)
        count += in[rank];
    for (int rank = 0; rank < size; rank = run_end(in, size, rank) + 1)
        pieces += in[rank];
    say(text, count == 1 ? "rank " : "ranks ");
    for (int rank = 0; rank < size; rank++) {
        if (!in[rank])
            continue;
        int end = run_end(in, size, rank);
        say(text, "%s%d", said == 0 ? "" : said == pieces - 1 ? " and " : ", ", rank);
        if (end > rank)
            say(text, " to %d", end);
        said++;
        rank = end;
    }
    return count;
}

static const char *place_of(const struct job *job, int rank, char *text, size_t size)
{
    const struct rank_note *note = &job->notes[rank];
    return launch_describe_word(&job->world, rank, note->now, note->last, text, size);
}

/* How the rank that failed first came to its end. */
static void say_cause(struct text *text, const struct job *job, const struct world_failure *failure)
{
    char place[160] = "";
    if (failure->rank >= 0) {
        say(text, "rank %d ", failure->rank);
        place_of(job, failure->rank, place, sizeof place);
    } else {
        say(text, "the process that holds all ranks ");
    }
    if (failure->end == END_SIGNAL)
        say(text, "was killed by signal %d (%s)", failure->code, launch_signal_name(failure->code));
    else if (failure->end == END_ERROR)
        say(text, "failed with %s", dist_error_name((enum dist_error)failure->code));
    else if (failure->code != 0)
        say(text, "exited with status %d", failure->code);
    else if (atomic_load(&job->world.header->slots[failure->rank].state) == RANK_GONE)
        say(text, "ended without dist_destroy_process_group");
    else
        say(text, "ended without dist_init_process_group, where the others wait for it");
    say(text, place[0] ? " in %s.\n" : ".\n", place);
}

/* How a rank that was not the first came to its end: well, stopped because of the first, or by a fault of its own. */
enum fate { WELL, STOPPED, FAILED_TOO };

static enum fate fate_of(const struct job *job, int rank)
{
    if (job->plan.threads)
        return atomic_load(&job->world.header->slots[rank].pid) < 0 ? WELL : STOPPED;
    int status = job->statuses[rank];
    if (status == 0)
        return WELL;
    bool asked = WIFSIGNALED(status) && job->stop_step != 0 &&
                 (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGKILL);
    bool told = WIFEXITED(status) && WEXITSTATUS(status) == DIST_ERR_PEER_LOST;
    return asked || told ? STOPPED : FAILED_TOO;
}

/* Ranks at the same place are told together. `left` loses those that were told. */
static void say_place(struct text *text, const struct job *job, bool *left, int first)
{
    char here[160], there[160];
    bool same[WORLD_MAX_RANKS] = { false };
    place_of(job, first, here, sizeof here);
    for (int rank = first; rank < job->plan.size; rank++) {
        same[rank] = left[rank] && strcmp(here, place_of(job, rank, there, sizeof there)) == 0;
        left[rank] &= !same[rank];
    }
    int count = say_ranks(text, same, job->plan.size);
    bool own = strncmp(here, "its ", 4) == 0;
    say(text, " in %s%s", own && count > 1 ? "their " : "", own && count > 1 ? here + 4 : here);
}

static void say_stopped(struct text *text, const struct job *job, const struct world_failure *failure)
{
    bool left[WORLD_MAX_RANKS] = { false }, failed[WORLD_MAX_RANKS] = { false };
    int stopped = 0, also = 0, places = 0;
    for (int rank = 0; rank < job->plan.size; rank++) {
        if (rank == failure->rank)
            continue;
        enum fate fate = fate_of(job, rank);
        stopped += left[rank] = fate == STOPPED;
        also += failed[rank] = fate == FAILED_TOO;
    }
    size_t start = text->used;
    if (also > 0) {
        say_ranks(text, failed, job->plan.size);
        say(text, " failed, too.\n");
        text->bytes[start] = 'R';
    }
    start = text->used;
    if (stopped == 0)
        return;
    say_ranks(text, left, job->plan.size);
    say(text, stopped == 1 ? " was stopped:" : " were stopped:");
    text->bytes[start] = 'R';
    for (int rank = 0; rank < job->plan.size && places < PLACES; rank++) {
        if (!left[rank])
            continue;
        say(text, places++ == 0 ? " " : ", ");
        say_place(text, job, left, rank);
    }
    for (int rank = 0; rank < job->plan.size; rank++)
        if (left[rank]) {
            say(text, ", others elsewhere");
            break;
        }
    say(text, ".\n");
}

static int exit_status(const struct world_failure *failure)
{
    if (failure->end == END_SIGNAL)
        return 128 + failure->code;
    return failure->code > 0 ? failure->code : DIST_ERR_STATE;
}

int job_verdict(const struct job *job)
{
    static _Thread_local struct text text;
    const struct world_failure *failure = &job->world.header->failure;
    bool reported = atomic_load(&failure->reported);
    int lost = job->output.error[0];
    text.used = 0;
    if (lost && lost != EPIPE)
        say(&text, "the output could not be written: %s.\n", strerror(lost));
    if (!world_failed(&job->world)) {
        dprintf(STDERR_FILENO, "%s", text.used ? text.bytes : "");
        return lost ? DIST_ERR_SYSTEM : 0;
    }
    if (job->interrupt)
        say(&text, "interrupted by %s\n", launch_signal_name(job->interrupt));
    else if (!lost) {
        if (!reported)
            say_cause(&text, job, failure);
        if (job->plan.size > 1)
            say_stopped(&text, job, failure);
    }
    if (text.used > 0)
        dprintf(STDERR_FILENO, "%s", text.bytes);
    return lost && lost != EPIPE ? DIST_ERR_SYSTEM : exit_status(failure);
}
