/*
 * test_launch_limits.c: where the system does not give what ranks need (files, processes, memory, a place for what they print), is
 * that told in one sentence, soon, with the right exit status?
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(launch_limits, .timeout = 120);

#define NO_THREADS "could be started as threads; allow more (ulimit -u, ulimit -v), or start fewer ranks."

/* The environment lies on the stack, too: that of a build, say. The one of this test is not to lie there as well: neither that of the
 * program, nor that of `env`, which would overflow itself. */
#define SMALL_STACK(settings) \
    "exec env -i WORLD_SIZE=4 " settings \
    " sh -c 'ulimit -s 64; export LARGE=$(printf %030000d 0); exec $0 mixed' $0"

/* $0 is a program whose four ranks talk to each other. */
static const struct {
    const char *command;
    int status;
    const char *words; /* NULL: it works, and says nothing */
} limits[] = {
    { "ulimit -n 10; exec $0 mixed", 48,
      "ranks could not be started: no more files may be open; allow more (ulimit -n" },
    { "ulimit -n 10; DIST_RANKS=threads exec $0 mixed", 48,
      "no more files may be open; allow more (ulimit -n" },
    { "ulimit -n 5; exec $0 mixed", 48, "no more files may be open; allow more (ulimit -n" },
    { "ulimit -n 40; exec $0 mixed", 0, NULL },
    { "ulimit -v 40000; DIST_RANKS=threads exec $0 mixed", 48, NO_THREADS },
    { "ulimit -f 10; exec $0 mixed", 48, "may not be that large; allow more (ulimit -f)" },
    { SMALL_STACK(""), 0, NULL },
    { SMALL_STACK("DIST_RANKS=threads"), 0, NULL },
    { "exec $0 mixed >&-", 0, NULL },
    { "exec $0 mixed <&- >&-", 0, NULL },
    { "exec $0 mixed >/dev/null 2>/dev/full", 0, NULL },
    { "DIST_CHECK=2 exec $0 mixed 2>/dev/full", 46, NULL },
    { "RANK=0 WORLD_SIZE=1 exec $0 mixed >&-", 0, NULL },
    { "mkdir /tmp/gone.$$ && cd /tmp/gone.$$ && rmdir /tmp/gone.$$ && exec $0 mixed", 0, NULL },
    { "mkdir /tmp/gone.$$ && cd /tmp/gone.$$ && rmdir /tmp/gone.$$ && DIST_TRACE=run.json exec $0 mixed", 46,
      "DIST_TRACE names run.json, but the folder in which this runs was deleted; go to another." },
};

Test(launch_limits, what_is_missing_is_told_in_one_sentence)
{
    struct started job;
    char path[600], full[1200], here[500];
    cr_assert(getcwd(here, sizeof here));
    program_path("traced", path, sizeof path);
    snprintf(full, sizeof full, "%s%s%s", path[0] == '/' ? "" : here, path[0] == '/' ? "" : "/", path);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const char *words = limits[i].words;
        STARTED(&job, SETTINGS("WORLD_SIZE=4"), "sh", "-c", limits[i].command, full);
        const char *newline = strchr(job.stderr_text, '\n');
        cr_expect(job.status == limits[i].status, "%s: status %d: %s", limits[i].command, job.status,
                  job.stderr_text);
        cr_expect(words ? strstr(job.stderr_text, words) != NULL : job.stderr_text[0] == '\0', "%s: %s",
                  limits[i].command, job.stderr_text);
        cr_expect(!words || (newline && newline[1] == '\0'), "%s: not one sentence: %s", limits[i].command,
                  job.stderr_text);
        cr_expect(job.seconds < 10, "%s took %.1f s", limits[i].command, job.seconds);
    }
}

/* Reports: lines but for those that go on with a sentence. */
static int reports_in(const char *text)
{
    int count = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *words = *line == '[' ? line + strcspn(line, " ") + 1 : line;
        count += *words != ' ';
    }
    return count;
}

/* However much memory there is, somewhere it is too little for one rank and enough for another. */
Test(launch_limits, too_little_memory_is_told_once)
{
    struct started job;
    char command[80], path[600];
    program_path("traced", path, sizeof path);
    for (int limit = 6000; limit <= 40000; limit += 2000) {
        snprintf(command, sizeof command, "ulimit -v %d; exec \"$0\" mixed", limit);
        STARTED(&job, SETTINGS("WORLD_SIZE=4"), "sh", "-c", command, path);
        cr_expect(job.status == 0 || job.status == 47 || job.status == 48 || job.status == 127,
                  "with %d KiB: status %d: %s", limit, job.status, job.stderr_text);
        cr_expect(job.status == 127 || reports_in(job.stderr_text) == (job.status != 0), "with %d KiB: %s",
                  limit, job.stderr_text);
    }
}

/* A rank that a launcher of others has started says it itself. */
Test(launch_limits, a_full_disk_below_another_launcher)
{
    struct started job;
    STARTED(&job, SETTINGS("RANK=0", "WORLD_SIZE=1"), "sh", "-c", "exec \"$0\" lines >/dev/full",
            program_path("talk", (char[600]){ "" }, 600));
    cr_expect_eq(job.status, 48);
    cr_expect(strstr(job.stderr_text, "the output could not be written: No space left on device.\n"), "%s",
              job.stderr_text);
}

/* The number of processes is counted for each user, and root's are not: so this needs somebody to be. */
Test(launch_limits, no_more_processes)
{
    struct started job;
    if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0)
        cr_skip_test("needs root, to be another user");
    static const char *const modes[][2] = { { "DIST_RANKS=processes",
                                              "the system allows no more processes; end some, allow" },
                                            { "DIST_RANKS=threads", NO_THREADS } };
    char copy[100], command[300], path[600];
    int user = 100000 + getpid() % 100000; /* who has no other processes */
    snprintf(copy, sizeof copy, "/tmp/test_limits.%ld", (long)getpid());
    snprintf(command, sizeof command, "cp \"$0\" %s && chmod 755 %s", copy, copy);
    STARTED(&job, NULL, "sh", "-c", command, program_path("traced", path, sizeof path));
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    for (int mode = 0; mode < 2; mode++) {
        snprintf(command, sizeof command,
                 "cd / && exec setpriv --reuid %d --clear-groups bash -c 'ulimit -u 3; exec %s mixed'", user,
                 copy);
        STARTED(&job, SETTINGS(modes[mode][0], "WORLD_SIZE=4"), "sh", "-c", command);
        cr_expect(job.status == 48 && strstr(job.stderr_text, modes[mode][1]), "%s: status %d: %s",
                  modes[mode][0], job.status, job.stderr_text);
    }
    unlink(copy);
}
