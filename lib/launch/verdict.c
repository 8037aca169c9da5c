/* verdict.c: one report for the whole job: which rank failed first, how and where, and who was stopped. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define PLACES 8 /* more different places than this are not told one by one */

/* An end that would have been fine, had the others not needed the rank: what it did, and, behind the place, what that means. */
static const char *verdict_early_end(const struct job *job, int rank, const char **means)
{
    uint32_t state = atomic_load(&job->world.header->slots[rank].state);
    if (state == RANK_JOINED || state == RANK_GONE)
        return "ended without dist_destroy_process_group";
    if (job->plan.threads && atomic_load(&job->world.header->slots[rank].pid) > 0) {
        *means = ", which ends all ranks where they are threads; let run() return instead";
        return "called exit()";
    }
    return "ended without dist_init_process_group, in which the others wait for it";
}

/* How the rank that failed first came to its end. */
static void verdict_say_cause(struct text *text, const struct job *job, const struct world_failure *failure)
{
    int rank = failure->rank, code = failure->code;
    const char *means = "";
    if (rank < 0 && failure->cause[0]) {
        text_add(text, "%s.\n", failure->cause);
        return;
    }
    if (rank >= 0)
        text_add(text, "rank %d ", rank);
    else
        text_add(text, "the process that holds all ranks ");
    if (failure->end == END_SIGNAL)
        text_add(text, "was killed by signal %d (%s)", code, launch_signal_name(code));
    else if (failure->end == END_ERROR)
        text_add(text, "failed with %s", dist_error_name((enum dist_error)code));
    else if (code != 0 || rank < 0)
        text_add(text, "exited with status %d", code);
    else
        text_add(text, "%s", verdict_early_end(job, rank, &means));
    if (rank >= 0 && job->ranks[rank].called)
        text_add(text, " in %s", job->ranks[rank].place.text);
    text_add(text, "%s%s%s.\n", means, failure->cause[0] ? ": " : "", failure->cause);
}

/* How a rank that was not the first came to its end: well, stopped because of the first, or by a fault of its own. */
enum fate { WELL, STOPPED, FAILED_TOO };

bool job_was_killed(const struct job *job, int process)
{
    int status = job->ranks[process].status;
    return WIFSIGNALED(status) &&
           (job->stop_step == 0 || (WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGKILL));
}

/* What the record says; but a rank that was killed while it told what went wrong has not told it: then that is what happened. */
static struct world_failure verdict_what_happened(const struct job *job, bool *told)
{
    struct world_failure failure = *world_failure(&job->world);
    if (job->plan.threads && failure.end == END_EXIT && failure.code < 0) /* exit() did not say with what */
        failure.code = WIFEXITED(job->ranks[0].status) ? WEXITSTATUS(job->ranks[0].status) : 0;
    int rank = world_teller(&job->world, told), process = job->plan.threads ? 0 : rank;
    if (!*told && rank >= 0 && rank < job->plan.size && job_was_killed(job, process))
        failure = (struct world_failure){ .rank = job->plan.threads ? -1 : rank,
                                          .end = END_SIGNAL,
                                          .code = WTERMSIG(job->ranks[process].status) };
    return failure;
}

static enum fate verdict_fate_of(const struct job *job, const struct world_failure *failure, int rank)
{
    if (job->plan.threads)
        return atomic_load(&job->world.header->slots[rank].pid) < 0 ? WELL : STOPPED;
    int status = job->ranks[rank].status;
    if (status == 0)
        return WELL;
    bool asked = WIFSIGNALED(status) && !job_was_killed(job, rank);
    bool told = WIFEXITED(status) && (WEXITSTATUS(status) == DIST_ERR_PEER_LOST ||
                                      (failure->end == END_ERROR && WEXITSTATUS(status) == failure->code));
    return asked || told ? STOPPED : FAILED_TOO;
}

int job_lost(const struct job *job)
{
    bool told;
    const struct world_failure failure = verdict_what_happened(job, &told);
    int lost = 0;
    for (int rank = 0; world_failed(&job->world) && rank < job->plan.size; rank++)
        lost += rank == failure.rank || verdict_fate_of(job, &failure, rank) == FAILED_TOO;
    return lost;
}

/* " in dist_recv (chain.c:17)": the place of all of `left` that are where the first of them is. They are told
 * apart by their ranks unless they are all there are. `left` loses them. */
static void verdict_say_place(struct text *text, const struct job *job, bool *left, int stopped,
                              bool first_place)
{
    bool same[WORLD_MAX_RANKS] = { false };
    int first = 0, count = 0;
    while (!left[first])
        first++;
    const char *noted = job->ranks[first].place.text, *here = *noted ? noted : "its own code";
    for (int rank = first; rank < job->plan.size; rank++) {
        same[rank] = left[rank] && strcmp(noted, job->ranks[rank].place.text) == 0;
        left[rank] &= !same[rank];
        count += same[rank];
    }
    if (count < stopped) {
        text_add(text, first_place ? ": " : ", ");
        text_add_ranks(text, same, job->plan.size);
    }
    bool many = count > 1 && strncmp(here, "its ", 4) == 0;
    text_add(text, " in %s%s", many ? "their " : "", many ? here + 4 : here);
}

static bool verdict_any(const bool *in, int size)
{
    return memchr(in, true, (size_t)size) != NULL;
}

/* The ranks that were stopped, and where they were. */
static void verdict_say_stopped(struct text *text, const struct job *job, bool *stopped)
{
    size_t start = text->used;
    int size = job->plan.size, count = text_add_ranks(text, stopped, size);
    text->bytes[start] = 'R';
    text_add(text, count == 1 ? " was stopped" : " were stopped");
    for (int places = 0; places < PLACES && verdict_any(stopped, size); places++)
        verdict_say_place(text, job, stopped, count, places == 0);
    text_add(text, verdict_any(stopped, size) ? ", the others elsewhere.\n" : ".\n");
}

static void verdict_say_others(struct text *text, const struct job *job, const struct world_failure *failure)
{
    bool stopped[WORLD_MAX_RANKS] = { false }, failed[WORLD_MAX_RANKS] = { false };
    int size = job->plan.size;
    for (int rank = 0; rank < size; rank++) {
        enum fate fate = rank == failure->rank ? WELL : verdict_fate_of(job, failure, rank);
        stopped[rank] = fate == STOPPED;
        failed[rank] = fate == FAILED_TOO;
    }
    if (verdict_any(failed, size)) {
        size_t start = text->used;
        text_add_ranks(text, failed, size);
        text->bytes[start] = 'R';
        text_add(text, " failed, too.\n");
    }
    if (verdict_any(stopped, size))
        verdict_say_stopped(text, job, stopped);
}

/* Nobody else has a part in it, or all have: then who was stopped says nothing more. */
static bool verdict_stands_alone(const struct world_failure *failure)
{
    return failure->end == END_ERROR &&
           (failure->code == DIST_ERR_BUFFER || failure->code == DIST_ERR_ENVIRONMENT ||
            failure->code == DIST_ERR_SYSTEM || failure->code == DIST_ERR_MEMORY);
}

static int verdict_exit_status(const struct world_failure *failure)
{
    if (failure->end == END_SIGNAL)
        return 128 + failure->code;
    return failure->code > 0 ? failure->code : DIST_ERR_STATE;
}

/* Each line of the text, broken so that a terminal holds it. (Static: the stack may be small, `ulimit -s 64`, and holds the environment.) */
static void verdict_say_in_lines(const struct text *text)
{
    static char line[sizeof text->bytes], wrapped[sizeof text->bytes + 256];
    for (const char *at = text->used ? text->bytes : ""; *at;) {
        int length = (int)strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", length, at);
        text_wrap(line, TEXT_WIDTH_ALONE, wrapped, sizeof wrapped);
        text_say("%s\n", wrapped);
        at += length + (at[length] == '\n');
    }
}

int job_verdict(const struct job *job)
{
    static struct text text; /* as the lines above */
    bool told;
    const struct world_failure failure = verdict_what_happened(job, &told);
    int lost = job->interrupt ? 0 : job->output.error[0];
    text.used = 0;
    if (lost && lost != EPIPE)
        text_add(&text, "the output could not be written: %s.\n", strerror(lost));
    if (!world_failed(&job->world)) {
        text_say("%s", text.used ? text.bytes : "");
        return lost ? DIST_ERR_SYSTEM : 0;
    }
    if (job->interrupt)
        text_add(&text, "interrupted by %s\n", launch_signal_name(job->interrupt));
    else if (!lost) {
        if (!told)
            verdict_say_cause(&text, job, &failure);
        if (job->plan.size > 1 && !failure.cause[0] &&
            !verdict_stands_alone(&failure)) /* a diagnosis has named them all */
            verdict_say_others(&text, job, &failure);
    }
    verdict_say_in_lines(&text);
    if (!job->interrupt && !lost && !told)
        watch_calls.write(&job->world, failure.rank, verdict_exit_status(&failure), text.bytes);
    return lost && lost != EPIPE ? DIST_ERR_SYSTEM : verdict_exit_status(&failure);
}
