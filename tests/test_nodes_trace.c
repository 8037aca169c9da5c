/*
 * test_nodes_trace.c: the trace of a job on several machines (distrun --nodes): is it one file, by one clock, and are its pictures those of
 * one machine? Where the system makes namespaces of time, each launcher has a clock of its own, far from the others'.
 */
#define _GNU_SOURCE
#include "nodes_jobs.h"
#include "trace_file.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(nodes_trace, .timeout = 240);

#define RING "build/chapters/03_ring/ring"
#define AHEAD 5000 /* s that the clock of node k is before that of node k - 1 */

static char setting[128];
static const char *file_setting(void)
{
    snprintf(setting, sizeof setting, "DIST_TRACE=/tmp/test_nodes_trace.%ld.json", (long)getpid());
    return setting;
}
#define FILE_NAME (file_setting() + strlen("DIST_TRACE="))

static bool clocks_differ(void)
{
    return system("unshare --time --monotonic 1 --fork true 2>/dev/null") == 0;
}

/* Node `traced` is told to. */
static void begin(struct started *nodes, int traced, const char *program)
{
    bool differ = clocks_differ();
    nodes_port = nodes_new_port();
    for (int i = 0; i < 3; i++) {
        char options[80], before[80];
        snprintf(options, sizeof options, "-n 5 --nodes 3 --node %d", i);
        snprintf(before, sizeof before, "unshare --time --monotonic %d --fork --kill-child", i * AHEAD);
        nodes_before = differ && i > 0 ? before : "";
        nodes_begin_one(&nodes[i], i == traced ? file_setting() : "BACKEND=gloo", options, program);
    }
    nodes_before = "";
}

static void read_file(char *text, size_t size)
{
    FILE *file = fopen(FILE_NAME, "r");
    cr_assert(file, "there is no file");
    size_t got = fread(text, 1, size - 1, file);
    text[got] = '\0';
    fclose(file);
}

/* A number of a host, from its line of the file. */
static long long of_host(const char *text, int node, const char *what)
{
    char begins[40];
    snprintf(begins, sizeof begins, "{\"node\":%d,", node);
    const char *line = strstr(text, begins), *at = line ? strstr(line, what) : NULL;
    cr_assert(at && at < line + strcspn(line, "\n"), "no %s of node %d in %.600s", what, node, text);
    return atoll(at + strlen(what) + 2);
}

static void draw(char *text, size_t size)
{
    struct started job;
    STARTED(&job, NULL, "build/bin/draw", "flow", FILE_NAME);
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    snprintf(text, size, "%s", job.stdout_text);
}

static void judge(struct trace_counts *counts)
{
    char why[300] = "";
    cr_expect(trace_judge(FILE_NAME, counts, why, sizeof why), "%s", why);
}

Test(nodes_trace, is_one_file_by_one_clock)
{
    struct started nodes[3], one;
    struct trace_counts counts;
    static char text[4096], here[32768], there[32768];
    NEEDS_GLOO();
    begin(nodes, 0, RING);
    nodes_end_all(nodes, 3);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(nodes[i].status, 0, "node %d: %s", i, nodes[i].stderr_text);
    judge(&counts);
    cr_expect(counts.messages == 5 && counts.alone == 0 && counts.unfinished == 0,
              "%d messages, %d alone, %d unfinished", counts.messages, counts.alone, counts.unfinished);
    read_file(text, sizeof text);
    for (int i = 1; i < 3; i++) {
        long long error = of_host(text, i, "clock_error_ns");
        long long off = of_host(text, i, "clock_ahead_ns") - (clocks_differ() ? i * AHEAD * 1000000000LL : 0);
        cr_expect(error > 0 && off <= error && off >= -error, "node %d: %lld ns off, said: %lld", i, off,
                  error);
    }
    draw(there, sizeof there);
    started_begin(&one, SETTINGS("BACKEND=gloo", "WORLD_SIZE=5", file_setting()),
                  (const char *const[]){ RING, NULL });
    started_end(&one, 60);
    draw(here, sizeof here);
    unlink(FILE_NAME);
    cr_expect_str_eq(there, here);
}

Test(nodes_trace, is_asked_for_at_node_0)
{
    struct started nodes[3];
    NEEDS_GLOO();
    begin(nodes, 1, RING);
    nodes_end_all(nodes, 3);
    cr_expect(strstr(nodes[1].stderr_text, "DIST_TRACE is passed over here"), "%s", nodes[1].stderr_text);
    cr_expect_eq(nodes[1].status, 0);
    cr_expect_neq(access(FILE_NAME, F_OK), 0);
}

Test(nodes_trace, of_a_lost_host_has_the_others)
{
    struct started nodes[3] = { 0 };
    struct trace_counts counts;
    static char text[4096];
    NEEDS_GLOO();
    begin(nodes, 0, "build/tests/programs/rounds");
    started_wait_for(&nodes[0], "under way");
    kill(-nodes[2].pid, SIGKILL);
    nodes_end_all(nodes, 3);
    cr_expect_eq(nodes[0].status, 43, "%s", nodes[0].stderr_text);
    judge(&counts);
    cr_expect(counts.slices > 0);
    read_file(text, sizeof text);
    unlink(FILE_NAME);
    const char *missing = strstr(text, "\"missing\":true"), *lost = strstr(text, "{\"node\":2,");
    cr_expect(missing && lost && missing > lost && !strstr(missing + 1, "\"missing\""), "%.600s", text);
}
