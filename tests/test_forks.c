/* test_forks.c: a process that a rank has forked is no rank: however it ends, the job goes on; and it cannot call. And a rank that a script
 * has forked is one. */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(forks, .timeout = 120);

static const struct {
    const char *what;
    int status; /* of the child */
    const char *words;
} children[] = {
    { "exit", 3, "" },
    { "return", 0, "" },
    { "crash", 139, "" },
    { "abort", 134, "" },
    { "call", 41, "this process was forked by a rank, and is none itself; call from the rank." },
    { "leave", 41, "this process was forked by a rank, and is none itself; call from the rank." },
};

Test(forks, the_end_of_a_child_is_no_ranks)
{
    static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };
    struct started job;
    char expected[60];
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof children / sizeof children[0]; i++) {
            STARTED(&job, SETTINGS(modes[mode]), "parents", children[i].what);
            snprintf(expected, sizeof expected, "child: %d\n[1] sum 3\n", children[i].status);
            cr_expect(job.status == 0, "%s, %s: status %d, %s", modes[mode], children[i].what, job.status,
                      job.stderr_text);
            cr_expect(strstr(job.stdout_text, expected), "%s, %s: %s", modes[mode], children[i].what,
                      job.stdout_text);
            cr_expect(children[i].words[0] ? strstr(job.stderr_text, children[i].words) != NULL
                                           : job.stderr_text[0] == '\0',
                      "%s, %s: %s", modes[mode], children[i].what, job.stderr_text);
        }
}

/* What a stream's thread holds at that moment is held for ever in the ranks. */
Test(forks, ranks_start_while_their_parents_streams_work)
{
    struct started job;
    STARTED(&job, SETTINGS("DEVICE=sim"), "parents", "before");
    cr_expect(job.status == 0, "status %d, %s", job.status, job.stderr_text);
}

/* A rank that a script has started is no child of its launcher. Where it joins after that was killed, nobody would end it. */
Test(forks, no_rank_joins_after_the_end_of_its_watcher)
{
    static struct started job;
    char path[600], line[1000], tag[40], file[] = "/tmp/dist-test-XXXXXX";
    close(mkstemp(file));
    snprintf(tag, sizeof tag, "tag-script-%ld", (long)getpid());
    snprintf(line, sizeof line, "%s late %s 2>>%s; true", program_path("plain", path, sizeof path), tag,
             file);
    started_begin(&job, NULL,
                  (const char *const[]){ "build/bin/distrun", "-n", "2", "sh", "-c", line, NULL });
    for (int look = 0; look < 1000 && processes_with(tag) < 5; look++) /* with two shells and two ranks */
        usleep(1000);
    kill(job.pid, SIGKILL);
    for (int look = 0; look < 5000 && processes_with(tag) > 0; look++)
        usleep(1000);
    cr_expect(processes_with(tag) == 0, "%d processes are left", processes_with(tag));
    started_end(&job, 5);
    STARTED(&job, NULL, "sh", "-c", "cat $0; rm $0", file);
    cr_expect(strstr(job.stdout_text, "launcher that started this rank has ended"), "%s", job.stdout_text);
}
