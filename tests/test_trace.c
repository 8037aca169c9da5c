/* test_trace.c: is what DIST_TRACE writes a good trace, and what really happened, however the run ended? */
#define _GNU_SOURCE
#include "hurry.h"
#include "started.h"
#include "trace_file.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(trace, .timeout = 120);

/* A file name of this test's own, as a setting. */
static char setting[128];
static const char *file_setting(void)
{
    snprintf(setting, sizeof setting, "DIST_TRACE=/tmp/test_trace.%ld.json", (long)getpid());
    return setting;
}
#define FILE_NAME (file_setting() + strlen("DIST_TRACE="))

/* A run that goes well, and its trace. */
static void run_traced(const char *mode, const char *size, const char *other)
{
    struct started job;
    STARTED(&job, SETTINGS(size, file_setting(), other), "traced", mode);
    cr_assert(job.status == 0, "%s: status %d: %s", mode, job.status, job.stderr_text);
}

static void judge(struct trace_counts *counts, const char *what)
{
    char why[300] = "";
    bool good = trace_judge(FILE_NAME, counts, why, sizeof why);
    unlink(FILE_NAME);
    cr_assert(good, "%s: %s", what, why);
}

Test(trace, slices_nest_and_arrows_pair)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    static const char *const buffering[] = { "DIST_BUFFERING=rendezvous", "DIST_BUFFERING=eager:4096" };
    static const int sizes[] = { 2, 4, 7 };
    for (int i = 0; i < 12; i++) {
        char size[32];
        int n = sizes[i / 4];
        struct started job;
        struct trace_counts counts;
        snprintf(size, sizeof size, "WORLD_SIZE=%d", n);
        STARTED(&job, SETTINGS(modes[i % 2], buffering[i / 2 % 2], size, file_setting()), "traced", "mixed");
        cr_assert(job.status == 0, "status %d: %s", job.status, job.stderr_text);
        judge(&counts, size);
        cr_expect(counts.alone == 0 && counts.unfinished == 0 && counts.lost == 0,
                  "%s: alone %d, unfinished %d", size, counts.alone, counts.unfinished);
        cr_expect(counts.messages == 2 * n + 2 * (n - 1), "%s: %d messages", size, counts.messages);
        cr_expect(counts.spans == 3 * n, "%s: %d spans", size, counts.spans);
    }
}

/* Each thread of a rank has places of its own in the list; what belongs together is told by the order in time. */
Test(trace, threads_of_a_rank_take_turns)
{
    struct trace_counts counts;
    run_traced("turns", "WORLD_SIZE=2", NULL);
    judge(&counts, "turns");
    cr_expect(counts.messages == 3 && counts.alone == 0, "%d messages", counts.messages);
}

/* A span that was left by break ends with the one around it. */
Test(trace, a_span_that_was_left_does_no_harm)
{
    struct trace_counts counts;
    run_traced("break", "WORLD_SIZE=4", NULL);
    judge(&counts, "break");
    cr_expect(counts.spans == 4 * 5 && counts.unfinished == 0, "%d spans, %d unfinished", counts.spans,
              counts.unfinished);
}

/* Rank 0 is killed, rank 1 waits for it: both stand in the file, as far as they came. */
Test(trace, what_a_killed_rank_did_is_there)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    for (int i = 0; i < 2; i++) {
        struct started job;
        struct trace_counts counts;
        STARTED(&job, SETTINGS("WORLD_SIZE=2", modes[i], file_setting()), "traced", "stuck");
        cr_assert(job.status == 137, "status %d: %s", job.status, job.stderr_text);
        judge(&counts, modes[i]);
        cr_expect(counts.unfinished >= 1 && counts.spans == 2, "%s: %d unfinished, %d spans", modes[i],
                  counts.unfinished, counts.spans);
    }
}

/* Files of this process may be 32 MiB: so the world is small, and has room for fewer events. */
Test(trace, what_does_not_fit_is_counted)
{
    struct started job;
    struct trace_counts counts;
    char program[600], command[700];
    program_path("traced", program, sizeof program);
    snprintf(command, sizeof command, "ulimit -f 65536; exec '%s' many 60000", program);
    STARTED(&job, SETTINGS("WORLD_SIZE=1", file_setting()), "sh", "-c", command);
    cr_assert(job.status == 0, "status %d: %s", job.status, job.stderr_text);
    judge(&counts, "many");
    cr_expect(counts.lost > 0 && counts.slices + counts.lost == 60000 + 2, "%d slices, %lld lost",
              counts.slices, counts.lost);
}

/* The folder was there when the run began. */
Test(trace, a_file_that_cannot_be_written_in_the_end_is_one_sentence)
{
    struct started job;
    char folder[] = "/tmp/test_trace.XXXXXX", setting[60], sentence[200];
    cr_assert(mkdtemp(folder));
    snprintf(setting, sizeof setting, "DIST_TRACE=%s/run.json", folder);
    STARTED(&job, SETTINGS("WORLD_SIZE=1", setting), "build/bin/distrun", "sh", "-c", "rmdir $1; exec \"$0\"",
            program_path("plain", (char[600]){ "" }, 600), folder);
    snprintf(sentence, sizeof sentence,
             "DIST_TRACE names %s/run.json, which cannot be written: No such file or directory.\n", folder);
    cr_expect(job.status == 46, "status %d", job.status);
    cr_expect_str_eq(job.stderr_text, sentence);
}

Test(trace, other_launchers_leave_a_trace_too)
{
    struct started job;
    struct trace_counts counts;
    char program[600];
    if (system("command -v mpirun >/dev/null 2>&1") != 0)
        cr_skip("there is no mpirun");
    program_path("traced", program, sizeof program);
    STARTED(&job,
            SETTINGS("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                     "OMPI_MCA_rmaps_base_oversubscribe=1", file_setting()),
            "mpirun", "-n", "3", program, "mixed");
    cr_assert(job.status == 0, "status %d: %s", job.status, job.stderr_text);
    judge(&counts, "mpirun");
    cr_expect(counts.messages == 2 * 3 + 4, "%d messages", counts.messages);
}

/* Tokens go to their experts and come back: what one rank sends the other, that one expects. */
Test(trace, splits_fit_together)
{
    struct started job;
    long in[4][2], out[4][2];
    static char line[4000];
    int found = 0;
    STARTED(&job, SETTINGS("WORLD_SIZE=2", file_setting()), "build/chapters/11_sharding/experts");
    cr_assert(job.status == 0, "status %d: %s", job.status, job.stderr_text);
    FILE *file = fopen(FILE_NAME, "r");
    cr_assert(file);
    while (fgets(line, sizeof line, file)) { /* rank 0's two calls, then rank 1's */
        const char *here = strstr(line, "\"In split size\"");
        const char *there = strstr(line, "\"Out split size\"");
        if (!here || !there)
            continue;
        cr_assert_lt(found, 4);
        cr_expect_eq(sscanf(here, "\"In split size\":\"[%ld, %ld]\"", &in[found][0], &in[found][1]), 2);
        cr_expect_eq(sscanf(there, "\"Out split size\":\"[%ld, %ld]\"", &out[found][0], &out[found][1]), 2);
        found++;
    }
    fclose(file);
    unlink(FILE_NAME);
    cr_assert_eq(found, 4);
    for (int call = 0; call < 2; call++) {
        cr_expect_eq(in[call][1], out[2 + call][0]);
        cr_expect_eq(out[call][1], in[2 + call][0]);
        cr_expect_neq(in[call][1], out[call][1], "the example tells nothing");
    }
}

/* The line on which these words stand first; 0: nowhere. */
static int line_with(const char *words)
{
    char line[4000];
    int number = 0, found = 0;
    FILE *file = fopen(FILE_NAME, "r");
    cr_assert(file);
    for (; !found && fgets(line, sizeof line, file); number++)
        found = strstr(line, words) ? 1 + number : 0;
    fclose(file);
    return found;
}

Test(trace, names_keep_their_letters_and_numbers_their_digits)
{
    run_traced("language", "WORLD_SIZE=2", NULL);
    cr_expect(line_with("\"name\":\"Gr\xc3\xb6\xc3\x9f\x65 \\ufffd\""));
    cr_expect(line_with("\"in\":[2147483647,2147483647]"));
    unlink(FILE_NAME);
}

Test(trace, a_wait_begins_with_its_own_call)
{
    run_traced("any", "WORLD_SIZE=2", "DEVICE=sim");
    int between = line_with("\"between\"");
    cr_expect(between && between < line_with("\"cat\":\"wait\""), "events stand in the order of time");
    unlink(FILE_NAME);
}

/* Also where an algorithm's messages are under way, which the library asks for by itself. */
Test(trace, a_program_sees_its_own_calls)
{
    run_traced("sums", "WORLD_SIZE=3", "DIST_ALGORITHM=ring");
    cr_expect(!line_with("\"is_completed\""), "the program does not ask");
    judge(&(struct trace_counts){ 0 }, "sums");
}

/* The program's own words are in its language; what the library writes, and reads, is not. */
Test(trace, numbers_have_a_point_in_every_language)
{
    struct started job;
    char folder[100], command[300];
    snprintf(folder, sizeof folder, "LOCPATH=/tmp/test_trace.%ld.languages", (long)getpid());
    const char *path = folder + strlen("LOCPATH=");
    snprintf(command, sizeof command, "mkdir %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             path, path);
    bool made = system(command) == 0;
    STARTED(&job,
            SETTINGS("WORLD_SIZE=2", "LC_ALL=de_DE.UTF-8", folder, "DEVICE=sim", "DIST_SIM=20:1.5",
                     file_setting()),
            "traced", "language");
    snprintf(command, sizeof command, "rm -r %s", path);
    if (system(command) != 0 || !made) {
        unlink(FILE_NAME);
        cr_skip("there is no localedef, or no German");
    }
    cr_assert(job.status == 0, "status %d: %s", job.status, job.stderr_text);
    cr_expect(strstr(job.stdout_text, "0,5 [0.5, 0.5]"), "%s", job.stdout_text);
    cr_expect(line_with("\"in\":[0.5,0.5]"), "no numbers with a point");
    unlink(FILE_NAME);
}

/* In nanoseconds, for one event: the goal is 100, on a machine that has nothing else to do. */
Test(trace, an_event_costs_little)
{
    double plain = 1e9, traced = 1e9;
    for (int i = 0; i < 5; i++) {
        struct started job;
        STARTED(&job, SETTINGS("WORLD_SIZE=1", "DIST_OUTPUT=ordered"), "traced", "cost");
        plain = fmin(plain, atof(job.stdout_text));
        STARTED(&job, SETTINGS("WORLD_SIZE=1", "DIST_OUTPUT=ordered", file_setting()), "traced", "cost");
        traced = fmin(traced, atof(job.stdout_text));
    }
    unlink(FILE_NAME);
    printf("a barrier takes %.1f ns, traced %.1f ns\n", plain, traced);
    cr_expect(SANITIZED || traced - plain < 300, "an event costs %.1f ns", traced - plain);
}
