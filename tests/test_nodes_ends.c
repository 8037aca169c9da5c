/*
 * test_nodes_ends.c: one job on several machines (distrun --nodes): is a report over three of them that of one, and how do all end when
 * something is lost? Real hosts, with cables that can be cut, are tests/tools/nodes_faults.sh's.
 */
#define _GNU_SOURCE
#include "nodes_jobs.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(nodes_ends, .timeout = 240);

#define ROUNDS "build/tests/programs/rounds"

/* Where a rank tells a mismatch, the others stand somewhere, and who tells it is told by chance: not compared. */
static void cut_fates(char *text)
{
    char *fates = strstr(text, "see: chapter");
    if (fates)
        fates[strcspn(fates, "\n")] = '\0';
}

/* All programs of chapter 06 print over three nodes what they print on one. */
static void alike(const char *name, int ranks)
{
    struct started one, three[3];
    char program[128], line[160];
    snprintf(program, sizeof program, "build/chapters/06_deadlocks/%s", name);
    snprintf(line, sizeof line, "exec build/bin/distrun -n %d %s", ranks, program);
    started_begin(&one, SETTINGS("BACKEND=gloo", "DIST_OUTPUT=ordered"),
                  (const char *const[]){ "sh", "-c", line, NULL });
    started_end(&one, 60);
    nodes_begin_all(three, 3, ranks, program);
    nodes_end_all(three, 3);
    cut_fates(one.stderr_text);
    cut_fates(three[0].stderr_text);
    cr_expect_str_eq(three[0].stdout_text, one.stdout_text, "%s", name);
    cr_expect_str_eq(three[0].stderr_text, one.stderr_text, "%s", name);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(three[i].status, one.status, "%s, node %d: %d", name, i, three[i].status);
}

Test(nodes_ends, reports_are_those_of_one_machine)
{
    static const char *const names[] = {
        "crossed_sends", "ring_of_sends", "missing_collective", "wrong_peer",
        "wrong_tag",     "wrong_size",    "collective_order",   "cured_ring"
    };
    NEEDS_GLOO();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        alike(names[i], 6);
}

/* Node 0 looks back on the calls of all. */
Test(nodes_ends, luck_is_told_as_on_one_machine)
{
    NEEDS_GLOO();
    setenv("DIST_BUFFERING", "eager:4096", 1);
    alike("crossed_sends", 6);
}

static void signalled(int which, int number, const int *statuses, const char *words)
{
    struct started nodes[3] = { 0 };
    nodes_begin_all(nodes, 3, 4, ROUNDS);
    started_wait_for(&nodes[0], "under way");
    kill(nodes[which].pid, number);
    nodes_end_all(nodes, 3);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(nodes[i].status, statuses[i], "node %d, when %d got %d: %d %s", i, which, number,
                     nodes[i].status, nodes[i].stderr_text);
    cr_expect(strstr(nodes[0].stderr_text, words), "%s", nodes[0].stderr_text);
}

Test(nodes_ends, end_together)
{
    NEEDS_GLOO();
    signalled(2, SIGKILL, (int[]){ 43, 43, 137 }, "(node 2) has lost its launcher; rank 3 is there");
    signalled(0, SIGKILL, (int[]){ 137, 43, 43 }, "");
    signalled(1, SIGTERM, (int[]){ 143, 143, 143 }, "interrupted by SIGTERM");
}

Test(nodes_ends, a_rank_that_dies_on_one_is_told_at_node_0)
{
    struct started nodes[2];
    NEEDS_GLOO();
    char path[256], program[300];
    snprintf(program, sizeof program, "%s segv 3 1000", program_path("doomed", path, sizeof path));
    nodes_begin_all(nodes, 2, 4, program);
    nodes_end_all(nodes, 2);
    for (int i = 0; i < 2; i++)
        cr_expect_eq(nodes[i].status, 139, "node %d: %d", i, nodes[i].status);
    cr_expect(
        strstr(nodes[0].stderr_text, "rank 3 was killed by signal 11 (SIGSEGV) in its own code, after dist_"),
        "%s", nodes[0].stderr_text);
    cr_expect(!strstr(nodes[0].stderr_text, "own code."), "%s",
              nodes[0].stderr_text); /* rank 2's place, too */
    cr_expect(strstr(nodes[1].stderr_text, "tells why"), "%s", nodes[1].stderr_text);
}

/* The other launcher was stopped, and says nothing: a second Ctrl-C does not wait for it. */
Test(nodes_ends, a_second_signal_waits_for_nobody)
{
    NEEDS_GLOO();
    for (int stopped = 0; stopped < 2; stopped++) {
        struct started nodes[2];
        nodes_begin_all(nodes, 2, 4, ROUNDS);
        started_wait_for(&nodes[0], "under way");
        kill(nodes[stopped].pid, SIGSTOP);
        for (int i = 0; i < 20; i++) {
            kill(nodes[!stopped].pid, SIGINT);
            usleep(100000);
        }
        started_end(&nodes[!stopped], 30);
        cr_expect_eq(nodes[!stopped].status, 128 + SIGINT, "%d: %d", stopped, nodes[!stopped].status);
        kill(nodes[stopped].pid, SIGCONT);
        kill(nodes[stopped].pid, SIGINT);
        started_end(&nodes[stopped], 120);
    }
}

/* All know of it what there is to know, and nobody takes the launcher for lost. */
Test(nodes_ends, one_that_cannot_start_its_ranks_says_why_at_node_0)
{
    struct started nodes[2];
    for (int poor = 0; poor < 2; poor++) {
        nodes_port = nodes_new_port();
        for (int i = 0; i < 2; i++) {
            nodes_before = i == poor ? "prlimit --nofile=16" : "";
            nodes_begin_one(&nodes[i],
                            "BACKEND=", i ? "-n 20 --nodes 2 --node 1" : "-n 20 --nodes 2 --node 0",
                            "sleep 20");
        }
        nodes_end_all(nodes, 2);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(nodes[i].status, 48, "%d: node %d: %d", poor, i, nodes[i].status);
        cr_expect(strstr(nodes[poor].stderr_text, "distrun: 10 ranks could not be started: no more files"),
                  "%s", nodes[poor].stderr_text);
        cr_expect(strstr(nodes[!poor].stderr_text,
                         poor ? "(node 1): 10 ranks could not be started: no more files"
                              : "the job has ended with 48; node 0 (127.0.0.1) tells why"),
                  "%s", nodes[!poor].stderr_text);
    }
}

/* Gloo sees a connection end before the launcher sees that it was a rank that did; whose words are better. At some of these moments it is
 * about to make them. */
Test(nodes_ends, a_rank_that_dies_while_they_connect)
{
    NEEDS_GLOO();
    for (int ms = 20; ms < 120; ms += 5) {
        struct started nodes[2];
        char path[256], program[300];
        snprintf(program, sizeof program, "%s kill 3 %d", program_path("doomed", path, sizeof path),
                 ms * 1000);
        nodes_begin_all(nodes, 2, 4, program);
        nodes_end_all(nodes, 2);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(nodes[i].status, 137, "%d ms: node %d: %d", ms, i, nodes[i].status);
        cr_expect(strstr(nodes[0].stderr_text, "rank 3 was killed by signal 9"), "%d ms: %s", ms,
                  nodes[0].stderr_text);
    }
}

/* Small sums travel inside the notes by which leaders tell each other that they have come, over Gloo between two of them; what this
 * rank calls does not. */
Test(nodes_ends, a_rank_alone_on_its_machine_calls_something_else)
{
    struct started nodes[2];
    char path[256], program[300];
    NEEDS_GLOO();
    for (int rank = 0; rank < 2; rank++) {
        snprintf(program, sizeof program, "%s another %d 0", program_path("doomed", path, sizeof path), rank);
        nodes_begin_all(nodes, 2, 2, program);
        nodes_end_all(nodes, 2);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(nodes[i].status, 42, "%d: node %d: %d %s", rank, i, nodes[i].status,
                         nodes[i].stderr_text);
        cr_expect(strstr(nodes[0].stderr_text, "calls dist_reduce_scatter"), "%s", nodes[0].stderr_text);
    }
}
