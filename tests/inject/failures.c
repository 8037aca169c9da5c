/*
 * failures.c [-s SECONDS] [NAME]: lets the first call of each kind fail that a program makes, then the second, until a run ends before
 * it has come to the n-th; and looks what comes of it. With -s only as many, from all over the run, as that time allows.
 *
 * It prints what was wrong, with the command that shows it again, and counts.
 */
#define _GNU_SOURCE
#include "failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct run good, run;
static int passed, failed;

/* What fails, and how. */
static const struct {
    enum inject_kind kind;
    const char *format; /* takes the number */
} ways[] = {
    { INJECT_MEMORY, "memory:%llu" },      { INJECT_MEMORY, "memory:%llu+" },
    { INJECT_FILES, "files:%llu" },        { INJECT_FILES, "files:%llu+" },
    { INJECT_THREADS, "threads:%llu" },    { INJECT_THREADS, "threads:%llu+" },
    { INJECT_WRITE, "write:%llu:ENOSPC" }, { INJECT_WRITE, "write:%llu+:ENOSPC" },
    { INJECT_WRITE, "write:%llu:EINTR" },  { INJECT_WRITE, "write:%llu:short" },
    { INJECT_READ, "read:%llu:EIO" },      { INJECT_READ, "read:%llu:EINTR" },
    { INJECT_READ, "read:%llu:short" },
};
#define WAYS (sizeof ways / sizeof *ways)

static void show_frames(void)
{
    char command[600];
    int used = snprintf(command, sizeof command, "addr2line -s -p -f -e %s", ledger->program);
    for (int i = 0; i < INJECT_FRAMES && ledger->frame[i]; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, " %#llx",
                         (unsigned long long)ledger->frame[i]);
    FILE *lines = ledger->frame[0] && ledger->program[0] ? popen(command, "r") : NULL;
    char line[300];
    while (lines && fgets(line, sizeof line, lines))
        printf("      %s", line);
    if (lines)
        pclose(lines);
}

static void show(const char *why)
{
    printf("  FAILED  %s INJECT=%s: %s (status %d; %s called by)\n", run.subject->name, run.inject, why,
           run.status, ledger->call);
    show_frames();
    if (run.error[0])
        printf("    it said: %.1500s\n", run.error);
    if (strcmp(run.out, good.out) != 0)
        printf("    it printed: %.1500s\n    and without the failure: %.1500s\n", run.out, good.out);
    fflush(stdout);
}

/* True: the run came as far as the n-th call. */
static bool try_one(const struct subject *subject, const char *format, unsigned long long number)
{
    char inject[40];
    snprintf(inject, sizeof inject, format, number);
    run_once(&run, subject, inject);
    bool reached = ledger->failed > 0;
    const char *why = reached ? judge(&run, &good) : NULL;
    passed += reached && !why;
    failed += why != NULL;
    if (why)
        show(why);
    return reached;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* In so many seconds, of each way as many as that gives, from all over; 0: all. A run that fails may wait for others: twice its time. */
static void try_all(const struct subject *subject, double seconds)
{
    double begun = now();
    run_once(&good, subject, "");
    double share = seconds / (double)WAYS;
    unsigned long long most = seconds > 0 ? 1 + (unsigned long long)(share / (2 * (now() - begun))) : 0;
    struct ledger first = *ledger;
    if (good.late || good.orphans || good.left[0] || good.has_file != (subject->file != NULL) ||
        first.seen[INJECT_MEMORY] == 0) {
        printf("  FAILED  %s as it is: status %d%s%s\n%s\n", subject->name, good.status,
               good.late ? ", it hangs" : "", good.left, good.error);
        failed++;
        return;
    }
    for (size_t way = 0; way < WAYS; way++) {
        if (subject->guesses && strcmp(ways[way].format, "read:%llu:EIO") == 0)
            continue;
        unsigned long long calls = first.seen[ways[way].kind];
        unsigned long long step = most && calls > most ? calls / most : 1;
        unsigned long long number = most && step > 1 ? 1 + way % step : 1;
        double end = now() + 2 * share;
        while (number < calls + 1000 && try_one(subject, ways[way].format, number) && (!most || now() < end))
            number += step;
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 2 && strcmp(argv[1], "-s") == 0 ? atof(argv[2]) : 0;
    const char *only = argc > 1 + 2 * (seconds > 0) ? argv[1 + 2 * (seconds > 0)] : "";
    double end = now() + seconds;
    for (int i = 0; i < subject_count; i++) {
        int before = passed, wrong = failed;
        if (!strstr(subjects[i].name, only))
            continue;
        double left = (end - now()) / (subject_count - i);
        try_all(&subjects[i], seconds <= 0 ? 0 : left > 0.1 ? left : 0.1);
        printf("%s: %d passed, %d failed\n", subjects[i].name, passed - before, failed - wrong);
        fflush(stdout);
    }
    if (passed + failed == 0)
        return fprintf(stderr, "ONLY is \"%s\"; that names nothing of tests/inject/failures_subjects.c\n",
                       only),
               2;
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
