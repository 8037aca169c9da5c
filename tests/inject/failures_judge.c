/* failures_judge.c: is what came of a run all right? The right result, or one report and a status that says so. */
#define _GNU_SOURCE
#include "failures.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines come in any order. */
static int split(char *text, char **line, int most)
{
    int count = 0;
    for (char *at = strtok(text, "\n"); at && count < most; at = strtok(NULL, "\n"))
        line[count++] = at;
    qsort(line, (size_t)count, sizeof *line, by_text);
    return count;
}

static bool same_lines(const char *a, const char *b)
{
    static char left[OUTPUT_BYTES], right[OUTPUT_BYTES], *lines[2][4096];
    snprintf(left, sizeof left, "%s", a);
    snprintf(right, sizeof right, "%s", b);
    int count = split(left, lines[0], 4096);
    if (count != split(right, lines[1], 4096))
        return false;
    for (int i = 0; i < count; i++)
        if (strcmp(lines[0][i], lines[1][i]) != 0)
            return false;
    return true;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Reports begin with who speaks; "[1] " before it is the launcher's. Whoever was stopped because of it is told in a line behind. */
static int count_reports(const char *text)
{
    static const char *const who[] = { "dist_",      "distrun: ",  "draw: ",     "play: ",
                                       "topology: ", "deadlock: ", "mismatch: ", "peer left: " };
    int count = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line;
        if (*at == '[')
            at += strcspn(at, " ") + 1;
        for (size_t i = 0; i < sizeof who / sizeof *who; i++)
            count += begins(at, who[i]);
        int end = (int)strcspn(at, "\n");
        bool ended = strstr(at, " exited with status ") && strstr(at, " exited with status ") < at + end;
        if (begins(at, "rank ") && isdigit((unsigned char)at[5]) && !ended) /* who has told why, ended so */
            count++;
    }
    return count;
}

static bool is_crash(int status)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (status == 128 + crashes[i])
            return true;
    return false;
}

static bool is_whole(const struct run *run)
{
    const char *end = run->subject->end;
    size_t length = strlen(run->file), wanted = strlen(end);
    return length >= wanted && strcmp(run->file + length - wanted, end) == 0;
}

/* Sentences that nobody can have meant. */
static const char *silly(const char *text)
{
    static const char *const words[] = { "rror 0",        "Success",   "(null)",  ": .",       ": ;",
                                         "Unknown error", "heap",      "corrupt", "signal 11", "signal 6",
                                         "signal 7",      "signal 5 ", "nknown" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return words[i];
    return NULL;
}

const char *judge(const struct run *run, const struct run *good)
{
    static char why[300];
    bool mute = strncmp(run->inject, "write", 5) == 0; /* the report may be what could not be written */
    const char *word = silly(run->error);
    if (run->late)
        return "it hangs";
    if (is_crash(run->status))
        return snprintf(why, sizeof why, "it crashes: signal %d", run->status - 128), why;
    if (run->orphans)
        return "processes are left";
    if (run->left[0])
        return snprintf(why, sizeof why, "files are left:%s", run->left), why;
    if (word)
        return snprintf(why, sizeof why, "it says \"%s\"", word), why;
    if (count_reports(run->error) > 1 + run->subject->apart)
        return "there are several reports";
    if (run->has_file && !is_whole(run))
        return "its file is cut";
    if (run->status == good->status) {
        if (!same_lines(run->out, good->out))
            return "something else is printed, but its status is the same";
        if (good->has_file && !run->has_file && !run->error[0] && !mute)
            return "its file is missing, and nothing is said";
        return good->has_file && !run->has_file && run->status == 0
                   ? "its file is missing, but its status is 0"
                   : NULL;
    }
    if (run->status == 0)
        return "its status is 0";
    if (!run->error[0] && !mute)
        return "nothing is said";
    if (run->status > 128)
        return snprintf(why, sizeof why, "it ends by signal %d", run->status - 128), why;
    return NULL;
}
