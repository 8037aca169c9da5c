/* judge.c: was the end of a job a good one? */
#define _GNU_SOURCE
#include "torture.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What was said, in lines that are whole again. */
struct speech {
    char lines[24][900];
    int count;
};

void dislike(struct job *job, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!job->wrong[0])
        vsnprintf(job->wrong, sizeof job->wrong, format, list);
    va_end(list);
}

/* What is done without, and is no failure; and that it was luck whom a receive from anybody met: here any order is right. */
static bool is_remark(const char *line)
{
    static const char *const remarks[] = { "DIST_CHECK=1: ", "DIST_REPORT: ",
                                           "warning: it was luck which message ",
                                           "try: name the rank that is meant, or give ", "see: chapter " };
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (strncmp(line, remarks[i], strlen(remarks[i])) == 0)
            return true;
    return false;
}

static void forget_remarks(struct speech *speech)
{
    int kept = 0;
    for (int i = 0; i < speech->count; i++)
        if (!is_remark(speech->lines[i]))
            memmove(speech->lines[kept++], speech->lines[i], sizeof speech->lines[0]);
    speech->count = kept;
}

/* A report is broken at 80 columns, and goes on with two blanks; a rank's number stands before each line of it. */
static void hear(const struct job *job, struct speech *speech)
{
    speech->count = 0;
    for (const char *at = job->said; *at && speech->count < 24;) {
        int length = (int)strcspn(at, "\n"), digits = *at == '[' ? (int)strspn(at + 1, "0123456789") : 0;
        int skip = digits > 0 && strncmp(at + 1 + digits, "] ", 2) == 0 ? digits + 3 : 0;
        const char *text = at + skip;
        if (strncmp(text, "  ", 2) == 0 && speech->count > 0) {
            char *line = speech->lines[speech->count - 1];
            size_t used = strlen(line);
            snprintf(line + used, sizeof speech->lines[0] - used, " %.*s", length - skip - 2, text + 2);
        } else {
            snprintf(speech->lines[speech->count++], sizeof speech->lines[0], "%.*s", length - skip, text);
        }
        at += length + (at[length] == '\n');
    }
    forget_remarks(speech);
}

/* Lines that come after the report: what became of the others. */
static bool is_about_others(const char *line)
{
    return strncmp(line, "Rank", 4) == 0 && (strstr(line, "stopped") || strstr(line, "failed, too"));
}

static void no_garbage(struct job *job, const struct speech *speech)
{
    static const char *const signs[] = { "error 0", "(null)",  "Success",  ": .",
                                         " ..",     "unknown", "No error", "\"\"" };
    for (const char *at = job->said; *at; at++)
        if (!isprint((unsigned char)*at) && *at != '\n')
            dislike(job, "a byte %d is no text", *at);
    for (int i = 0; i < speech->count; i++)
        for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
            if (strstr(speech->lines[i], signs[s]))
                dislike(job, "it says \"%s\"", signs[s]);
}

/* ---- the report ------------------------------------------------------------------------- */

static bool begins(const char *line, const char *format, ...)
{
    char start[200];
    va_list list;
    va_start(list, format);
    vsnprintf(start, sizeof start, format, list);
    va_end(list);
    return strncmp(line, start, strlen(start)) == 0;
}

/* All ranks came to their end, and saw nothing wrong. */
static void judge_success(struct job *job, const struct speech *speech)
{
    if (speech->count > 0)
        dislike(job, "it ended well, and something was said");
    for (int rank = 0; rank < job->plan.ranks; rank++)
        if (!atomic_load(&job->board->returned[rank]))
            dislike(job, "it ended well, but rank %d did not", rank);
}

static void judge_killed(struct job *job, const char *line)
{
    int rank = job->plan.victim;
    bool true_one = job->plan.threads
                        ? begins(line, "the process that holds all ranks was killed by signal 9 (SIGKILL)")
                        : begins(line, "rank %d was killed by signal 9 (SIGKILL)", rank);
    if (!true_one)
        dislike(job, "the report does not say that rank %d was killed", rank);
}

static void judge_interrupted(struct job *job, const struct speech *speech)
{
    const char *name = job->plan.fault == TERMINATED ? "SIGTERM" : "SIGINT";
    if (speech->count > 1 || (speech->count == 1 && !begins(speech->lines[0], "interrupted by %s", name)))
        dislike(job, "it was interrupted by %s, and says something else", name);
}

/* Something was refused to a rank, to the launcher or to all: who says so, is it true? */
static void judge_refused(struct job *job, const char *line, int status)
{
    const struct plan *plan = &job->plan;
    bool anybody = plan->threads || ((plan->fault == NO_SPACE || plan->fault == FEW_FILES) &&
                                     (plan->at_step == 0 || plan->victim == LAUNCHER));
    bool launcher = begins(line, "dist_spawn: ") || begins(line, "DIST_TRACE") || begins(line, "DIST_REPORT");
    int rank = -1;
    if (plan->fault == NO_SPACE && status == OWN_MEMORY && strstr(line, " exited with status "))
        return; /* the program itself had none */
    if (status != DIST_ERR_MEMORY && status != DIST_ERR_SYSTEM && status != DIST_ERR_ENVIRONMENT)
        dislike(job, "it ended with %d", status);
    else if (sscanf(line, "rank %d: ", &rank) == 1 && rank != plan->victim && !anybody)
        dislike(job, "rank %d says it, and rank %d had the fault", rank, plan->victim);
    else if (rank < 0 && !launcher)
        dislike(job, "nobody says what was refused");
}

/* Ranks as threads: one had no memory for itself and ended the process for all, just while another told what the library was refused.
 * Whether that was heard nobody can know, so the launcher tells, too. */
static bool ended_while_telling(const struct job *job, const struct speech *speech, int reports, int status)
{
    return reports == 2 && job->plan.fault == NO_SPACE && job->plan.threads && status == OWN_MEMORY &&
           strstr(speech->lines[1], " exited with status ");
}

static void judge_report(struct job *job, const struct speech *speech, int status)
{
    enum fault fault = job->plan.fault;
    int reports = 0;
    for (int i = 0; i < speech->count;
         i++) /* a trace that is lost for lack of memory, too, is another matter */
        reports += !is_about_others(speech->lines[i]) &&
                   !(i > 0 && fault == NO_SPACE && begins(speech->lines[i], "DIST_TRACE: "));
    if (fault == TERMINATED || fault == INTERRUPTED) {
        judge_interrupted(job, speech);
    } else if (fault == LAUNCHER_GONE) {
        if (speech->count > 0)
            dislike(job, "the launcher was killed, and somebody says something");
    } else if (ended_while_telling(job, speech, reports, status)) {
        return;
    } else if (reports != 1 || is_about_others(speech->lines[0])) {
        dislike(job, "%d reports, must be one", reports);
    } else if (fault == KILLED) {
        judge_killed(job, speech->lines[0]);
    } else {
        judge_refused(job, speech->lines[0], status);
    }
}

static bool fits(enum fault fault, int status)
{
    switch (fault) {
    case NO_FAULT:
    case SLOW:
    case STOPPED:
        return false;
    case KILLED:
    case LAUNCHER_GONE:
        return status == 128 + SIGKILL;
    case TERMINATED:
        return status == 128 + SIGTERM;
    case INTERRUPTED:
        return status == 128 + SIGINT;
    default:
        return status < 128;
    }
}

void judge(struct job *job)
{
    static struct speech speech;
    int status = WIFSIGNALED(job->status) ? 128 + WTERMSIG(job->status) : WEXITSTATUS(job->status);
    hear(job, &speech);
    if (job->late)
        dislike(job, "it did not end in time");
    if (atomic_load(&job->board->wrong))
        dislike(job, "%s", job->board->words);
    no_garbage(job, &speech);
    if (status != 0 && (!fits(job->plan.fault, status) ||
                        (!atomic_load(&job->board->struck) && job->plan.fault != FULL_DISK)))
        dislike(job, "it ended with %d", status);
    if (status == 0)
        judge_success(job, &speech);
    else
        judge_report(job, &speech, status);
    look_at_files(job, status);
    if (job->plan.fault == FULL_DISK && status != 0)
        atomic_store(&job->board->struck, 1);
}
