/*
 * test_nodes_foreign.c: one job on several machines whose ranks another launcher has started, and Gloo carries: torchrun's environment. Ranks of this
 * machine take each other for other hosts: each is told that it is the only one of its machine, but for the first two where that is
 * said. Real hosts are tests/tools/hosts_test.sh's (on_hosts.sh torchrun).
 */
#define _GNU_SOURCE
#include "nodes_jobs.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(nodes_foreign, .timeout = 240);

#define ROUNDS "build/tests/programs/rounds"
#define MOST 4

struct machine {
    int rank, size, local, here; /* this rank of so many, and the same of this machine's */
    const char *setting;         /* one more NAME=value */
};

static void begin(struct started *rank, struct machine m, const char *line)
{
    char places[4][32], port[32];
    snprintf(places[0], sizeof places[0], "RANK=%d", m.rank);
    snprintf(places[1], sizeof places[1], "WORLD_SIZE=%d", m.size);
    snprintf(places[2], sizeof places[2], "LOCAL_RANK=%d", m.local);
    snprintf(places[3], sizeof places[3], "LOCAL_WORLD_SIZE=%d", m.here);
    snprintf(port, sizeof port, "MASTER_PORT=%d", nodes_port);
    started_begin(rank,
                  SETTINGS(NODES_SECRET, "BACKEND=gloo", "DIST_INIT_TIMEOUT=60", "MASTER_ADDR=127.0.0.1",
                           "DIST_REPORT=/dev/null", port, places[0], places[1], places[2], places[3],
                           m.setting ? m.setting : "A="),
                  (const char *const[]){ "sh", "-c", line, NULL });
}

/* The first two share a machine, each of the others has one of its own. */
static void begin_all(struct started *ranks, int size, const char *line)
{
    nodes_port = nodes_new_port();
    for (int i = 0; i < size; i++)
        begin(&ranks[i], (struct machine){ i, size, i == 1, i < 2 ? 2 : 1, NULL }, line);
}

static int times(struct started *ranks, int count, const char *words)
{
    int told = 0;
    for (int i = 0; i < count; i++)
        for (const char *at = ranks[i].stderr_text; (at = strstr(at, words)); at++)
            told++;
    return told;
}

Test(nodes_foreign, sum_over_three_machines)
{
    struct started ranks[MOST];
    char path[256];
    NEEDS_GLOO();
    begin_all(ranks, MOST, program_path("plain", path, sizeof path));
    nodes_end_all(ranks, MOST);
    for (int i = 0; i < MOST; i++) {
        char line[32];
        snprintf(line, sizeof line, "rank %d of 4: 10\n", i);
        cr_expect_eq(ranks[i].status, 0, "rank %d: %d %s", i, ranks[i].status, ranks[i].stderr_text);
        cr_expect_str_eq(ranks[i].stdout_text, line);
    }
}

Test(nodes_foreign, one_trace_of_all)
{
    struct started ranks[MOST];
    char path[] = "/tmp/foreign-XXXXXX", line[160];
    static char text[1 << 20];
    NEEDS_GLOO();
    int fd = mkstemp(path), sends = 0;
    snprintf(line, sizeof line, "DIST_TRACE=%s exec build/chapters/02_send_recv_chain/chain", path);
    begin_all(ranks, MOST, line);
    nodes_end_all(ranks, MOST);
    close(fd);
    fd = open(path, O_RDONLY); /* the file that has taken its place */
    cr_assert(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "%s", ranks[0].stderr_text);
    for (const char *at = text; (at = strstr(at, "\"name\":\"send\"")); at++)
        sends++;
    cr_expect_eq(sends, MOST - 1, "%s", text);
    close(fd);
    unlink(path);
}

Test(nodes_foreign, a_deadlock_is_told_once)
{
    struct started ranks[MOST];
    NEEDS_GLOO();
    begin_all(ranks, MOST, "exec build/chapters/06_deadlocks/ring_of_sends");
    nodes_end_all(ranks, MOST);
    for (int i = 0; i < MOST; i++)
        cr_expect_eq(ranks[i].status, 45, "rank %d: %d %s", i, ranks[i].status, ranks[i].stderr_text);
    cr_expect_eq(times(ranks, MOST, "deadlock: 4 ranks wait for each other in a cycle"), 1, "%s",
                 ranks[0].stderr_text);
}

Test(nodes_foreign, a_rank_that_is_killed_is_named)
{
    struct started ranks[MOST];
    NEEDS_GLOO();
    for (int victim = 0; victim < MOST; victim++) {
        begin_all(ranks, MOST, "exec " ROUNDS);
        started_wait_for(&ranks[0], "under way");
        kill(ranks[victim].pid, SIGKILL);
        nodes_end_all(ranks, MOST);
        char words[32];
        snprintf(words, sizeof words, "rank %d has ended", victim);
        for (int i = 0; i < MOST; i++)
            cr_expect_eq(ranks[i].status, i == victim ? 137 : 43, "rank %d, when %d was killed: %d %s", i,
                         victim, ranks[i].status, ranks[i].stderr_text);
        cr_expect_geq(times(ranks, MOST, words), 1, "%s: %s", words, ranks[victim == 0].stderr_text);
    }
}

/* Of the rank's connections a child would keep open what it inherits: for 20 s. */
Test(nodes_foreign, a_killed_rank_is_seen_though_its_child_lives_on)
{
    struct started ranks[3];
    char line[300], path[256];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    snprintf(line, sizeof line, "exec %s outlive", program_path("parents", path, sizeof path));
    for (int i = 0; i < 3; i++)
        begin(&ranks[i], (struct machine){ i, 3, 0, 1, NULL }, line);
    nodes_end_all(ranks, 3);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(ranks[i].status, i == 1 ? 137 : 43, "rank %d: %d", i, ranks[i].status);
        cr_expect_lt(ranks[i].seconds, 15, "rank %d took %g s", i, ranks[i].seconds);
    }
    cr_expect_eq(times(ranks, 3, "rank 1 has ended"), 1, "%s", ranks[0].stderr_text);
}

/* Rank 0 is somebody who takes calls: with theirs the two have met on their machine. */
Test(nodes_foreign, a_rank_that_dies_while_the_other_calls)
{
    struct started ranks[2];
    char line[300], path[256];
    int fd = nodes_hold_port();
    snprintf(line, sizeof line, "exec %s", program_path("plain", path, sizeof path));
    for (int i = 0; i < 2; i++)
        begin(&ranks[i], (struct machine){ 1 + i, 3, i, 2, NULL }, line);
    cr_assert(accept(fd, NULL, NULL) >= 0 && accept(fd, NULL, NULL) >= 0);
    kill(ranks[0].pid, SIGKILL);
    nodes_end_all(ranks, 2);
    cr_expect(ranks[1].status == 43 && ranks[1].seconds < 30, "%d after %g s", ranks[1].status,
              ranks[1].seconds);
    cr_expect(strstr(ranks[1].stderr_text, "a rank of this machine has ended before all had come"), "%s",
              ranks[1].stderr_text);
    close(fd);
}

/* ---- bad input ----------------------------------------------------------------------------------------- */

static void refused(struct machine m, int status, const char *words)
{
    struct started rank;
    char path[256];
    NEEDS_GLOO();
    begin(&rank, m, program_path("plain", path, sizeof path));
    started_end(&rank, 30);
    cr_expect_eq(rank.status, status, "%s: ended with %d: %s", m.setting, rank.status, rank.stderr_text);
    cr_expect(strstr(rank.stderr_text, words), "%s: not \"%s\" but: %s", m.setting, words, rank.stderr_text);
    cr_expect_eq(strchr(rank.stderr_text, '\n'), strrchr(rank.stderr_text, '\n'), "more than a sentence: %s",
                 rank.stderr_text);
}

Test(nodes_foreign, what_makes_no_sense_is_told_in_one_sentence)
{
    nodes_port = nodes_new_port();
    for (int rank = 0; rank < 2; rank++) {
        refused((struct machine){ rank, 2, 0, 1, "DIST_SECRET=" }, 46, "DIST_SECRET is not set");
        refused((struct machine){ rank, 2, 0, 1, "DIST_SECRET=abc" }, 46,
                "DIST_SECRET is no secret of a job");
        refused((struct machine){ rank, 2, 0, 1, "MASTER_ADDR=" }, 46, "MASTER_ADDR is not set");
        refused((struct machine){ rank, 2, 0, 1, "MASTER_PORT=x" }, 46, "MASTER_PORT is \"x\"");
        refused((struct machine){ rank, 2, 0, 1, "MASTER_ADDR=" NODES_NOBODY }, 46,
                "at which rank 0 is to be, is not known here");
        refused((struct machine){ rank, 2, 0, 1, "BACKEND=shm" }, 46, "over several take BACKEND=gloo");
    }
    refused((struct machine){ 0, 2, 0, 1, "DIST_INIT_TIMEOUT=1" }, 44, "rank 1 has not come within 1 s");
    refused((struct machine){ 1, 2, 0, 1, "DIST_INIT_TIMEOUT=1" }, 44,
            "rank 0 has not answered at 127.0.0.1");
    refused((struct machine){ 0, 2, 0, 1, "MASTER_ADDR=0.0.0.0" }, 46, "would listen to everybody");
    refused((struct machine){ 0, 2, 0, 1, "MASTER_ADDR=192.0.2.1" }, 46, "no address of this machine");
}

Test(nodes_foreign, a_port_that_is_taken)
{
    int fd = nodes_hold_port();
    refused((struct machine){ 0, 2, 0, 1, NULL }, 46, "the port is taken");
    close(fd);
}

/* The second is none of the job, or does not fit. */
static void unlike(struct machine second, int first_status, const char *first_words, int status,
                   const char *words)
{
    struct started ranks[2];
    char path[256];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    program_path("plain", path, sizeof path);
    begin(&ranks[0], (struct machine){ 0, 2, 0, 1, "DIST_INIT_TIMEOUT=2" }, path);
    begin(&ranks[1], second, path);
    nodes_end_all(ranks, 2);
    cr_expect_eq(ranks[0].status, first_status, "%s: %d", words, ranks[0].status);
    cr_expect_eq(ranks[1].status, status, "%s: %d", words, ranks[1].status);
    cr_expect(strstr(ranks[0].stderr_text, first_words), "not \"%s\" but: %s", first_words,
              ranks[0].stderr_text);
    cr_expect(strstr(ranks[1].stderr_text, words), "not \"%s\" but: %s", words, ranks[1].stderr_text);
}

Test(nodes_foreign, that_do_not_fit_are_told)
{
    unlike((struct machine){ 1, 2, 0, 1, "DIST_SECRET=ffffffffffffffffffffffffffffffff" }, 44,
           "does not know the secret", 46, "rank 0 at 127.0.0.1 has another secret");
    unlike((struct machine){ 1, 3, 0, 1, NULL }, 46, "rank 1 (127.0.0.1) was started for 3 ranks", 46,
           "was started for 3 ranks");
    unlike((struct machine){ 1, 2, 0, 1, "DIST_TRACE=/tmp/no.json" }, 46,
           "DIST_TRACE is \"set\" for rank 1 but \"\" for rank 0", 46, "");
    unlike((struct machine){ 1, 2, 0, 1, "DIST_ALGORITHM=ring" }, 46, "but \"\" for rank 0", 46,
           "DIST_ALGORITHM is \"ring\" for rank 1");
}

/* Whichever came later is told. */
Test(nodes_foreign, two_that_are_first_on_their_machine)
{
    struct started ranks[2];
    char path[256];
    nodes_port = nodes_new_port();
    for (int i = 0; i < 2; i++)
        begin(&ranks[i], (struct machine){ i, 3, 0, 2, "DIST_INIT_TIMEOUT=8" },
              program_path("plain", path, sizeof path));
    nodes_end_all(ranks, 2);
    bool second = ranks[1].status == 46;
    cr_expect_eq(ranks[second].status, 46);
    cr_expect(strstr(ranks[second].stderr_text, "says that it is the first of this machine, too: process "),
              "%s", ranks[second].stderr_text);
}
