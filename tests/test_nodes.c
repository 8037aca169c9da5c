/*
 * test_nodes.c: one job on several machines (distrun --nodes), here several launchers of this one, which take each other for hosts:
 * how they meet, what is refused, whether a report over three hosts is that of one, and how all end when something is lost.
 * Real hosts, with networks that can be cut, are tests/tools/nodes_faults.sh's.
 */
#define _GNU_SOURCE
#include "../lib/dist.h"
#include "../lib/launch/nodes.h"
#include "started.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(nodes, .timeout = 240);

#define SECRET "DIST_SECRET=000102030405060708090a0b0c0d0e0f"
#define ROUNDS "build/tests/programs/rounds"
#define CHAIN "build/chapters/02_send_recv_chain/chain"

static int port;

/* A port that nobody has: the kernel's choice. */
static int new_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, size);
    getsockname(fd, (struct sockaddr *)&address, &size);
    close(fd);
    return ntohs(address.sin_port);
}

static void begin(struct started *node, const char *settings, const char *options, const char *program)
{
    char line[512];
    snprintf(line, sizeof line, "exec build/bin/distrun %s --at 127.0.0.1:%d %s", options, port, program);
    started_begin(node, SETTINGS(SECRET, "DIST_INIT_TIMEOUT=20", "DIST_OUTPUT=ordered", settings),
                  (const char *const[]){ "sh", "-c", line, NULL });
}

static void begin_all(struct started *nodes, int count, int ranks, const char *program)
{
    port = new_port();
    for (int i = 0; i < count; i++) {
        char options[80];
        snprintf(options, sizeof options, "-n %d --nodes %d --node %d", ranks, count, i);
        begin(&nodes[i], "BACKEND=", options, program);
    }
}

static void end_all(struct started *nodes, int count)
{
    for (int i = 0; i < count; i++)
        started_end(&nodes[i], 60);
}

static bool has_gloo(void)
{
    return access("build/plugins/dist-gloo.so", R_OK) == 0;
}
#define NEEDS_GLOO() \
    do { \
        if (!has_gloo()) \
            cr_skip_test("BACKEND=gloo is not built here; make doctor says how to get it"); \
    } while (0)

/* ---- the start ------------------------------------------------------------------------------------- */

Test(nodes, five_ranks_on_three_nodes_are_dealt_out_in_blocks)
{
    struct started nodes[3];
    NEEDS_GLOO();
    begin_all(nodes, 3, 5,
              "sh -c 'echo $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE, $GROUP_RANK of "
              "$GROUP_WORLD_SIZE, $MASTER_ADDR ${DIST_SECRET-no secret}'");
    end_all(nodes, 3);
    cr_expect_str_eq(nodes[0].stdout_text, "0 of 5, 0 of 2, 0 of 3, 127.0.0.1 no secret\n"
                                           "1 of 5, 1 of 2, 0 of 3, 127.0.0.1 no secret\n"
                                           "2 of 5, 0 of 2, 1 of 3, 127.0.0.1 no secret\n"
                                           "3 of 5, 1 of 2, 1 of 3, 127.0.0.1 no secret\n"
                                           "4 of 5, 0 of 1, 2 of 3, 127.0.0.1 no secret\n");
    for (int i = 0; i < 3; i++)
        cr_expect_eq(nodes[i].status, 0, "node %d: %d %s", i, nodes[i].status, nodes[i].stderr_text);
}

Test(nodes, a_chain_runs_over_three)
{
    struct started nodes[3];
    NEEDS_GLOO();
    begin_all(nodes, 3, 4, CHAIN);
    end_all(nodes, 3);
    cr_expect_str_eq(nodes[0].stdout_text,
                     "rank 0 holds 42\nrank 1 holds 52\nrank 2 holds 62\nrank 3 holds 72\n", "%s",
                     nodes[0].stderr_text);
    cr_expect_str_eq(nodes[1].stdout_text, "");
}

/* ---- bad input --------------------------------------------------------------------------------------- */

static void refused(const char *settings, const char *options, int status, const char *words)
{
    struct started node;
    begin(&node, settings, options, CHAIN);
    started_end(&node, 30);
    cr_expect_eq(node.status, status, "%s ended with %d", options, node.status);
    cr_expect(strstr(node.stderr_text, words), "%s: not \"%s\" but: %s", options, words, node.stderr_text);
    cr_expect_eq(strchr(node.stderr_text, '\n'), strrchr(node.stderr_text, '\n'), "more than a sentence: %s",
                 node.stderr_text);
}

Test(nodes, what_makes_no_sense_is_told_in_one_sentence)
{
    port = new_port();
    refused("A=", "-n 4 --nodes 2 --node 2", 46, "--node is 2, but of 2 nodes the last is 1");
    refused("A=", "-n 4 --nodes 2", 46, "--node is missing");
    refused("A=", "-n 4 --node 1", 46, "--nodes is missing");
    refused("A=", "--nodes 2 --node 0", 46, "-n is missing");
    refused("A=", "-n 1 --nodes 2 --node 0", 46, "1 rank cannot be dealt out to 2 nodes");
    refused("A=", "-n 4 --nodes two --node 0", 46, "--nodes is \"two\"; it must be a whole number");
    refused("A=", "-n 4 --nodes 2 --node 0 --restarts 1", 46, "--restarts is for jobs on one machine");
    refused("BACKEND=shm", "-n 4 --nodes 2 --node 0", 46, "joins ranks of one machine");
    refused("DIST_TRACE=/tmp/x.json", "-n 4 --nodes 2 --node 0", 46, "DIST_TRACE writes down");
    refused("A=", "-n 4 --nodes 2 --node 0 --secret /nowhere/secret", 46, "/nowhere/secret cannot be read");
    refused("DIST_SECRET=abc", "-n 4 --nodes 2 --node 1", 46, "DIST_SECRET is no secret of a job");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 1", 46, "the job's secret is missing");
    refused("DIST_INIT_TIMEOUT=1", "-n 5 --nodes 3 --node 0", 44,
            "node 1 (ranks 2 and 3) and node 2 (rank 4) have not come within 1 s");
    refused("DIST_INIT_TIMEOUT=1", "-n 5 --nodes 3 --node 1", 44, "node 0 (ranks 0 and 1) has not answered");
}

/* Both are told. */
static void unlike(const char *second, const char *program, const char *words)
{
    struct started nodes[2];
    port = new_port();
    begin(&nodes[0], "A=", "-n 4 --nodes 2 --node 0", CHAIN);
    begin(&nodes[1], "A=", second, program);
    end_all(nodes, 2);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(nodes[i].status, 46, "node %d ended with %d", i, nodes[i].status);
        cr_expect(strstr(nodes[i].stderr_text, words), "node %d: not \"%s\" but: %s", i, words,
                  nodes[i].stderr_text);
    }
}

Test(nodes, that_do_not_fit_are_told_on_both)
{
    unlike("-n 4 --nodes 2 --node 1", CHAIN "_vector", "starts another program than node 0");
    unlike("-n 5 --nodes 2 --node 1", CHAIN, "for 5 ranks on 2 nodes, node 0 for 4 on 2");
}

Test(nodes, a_wrong_secret_is_sent_away_and_the_right_one_taken)
{
    struct started nodes[3];
    NEEDS_GLOO();
    port = new_port();
    begin(&nodes[0], "A=", "-n 2 --nodes 2 --node 0", CHAIN);
    begin(&nodes[1], "DIST_SECRET=ffffffffffffffffffffffffffffffff", "-n 2 --nodes 2 --node 1", CHAIN);
    started_end(&nodes[1], 60);
    cr_expect_eq(nodes[1].status, 46);
    cr_expect(strstr(nodes[1].stderr_text, "has another secret"), "%s", nodes[1].stderr_text);
    begin(&nodes[2], "A=", "-n 2 --nodes 2 --node 1", CHAIN);
    started_end(&nodes[2], 60);
    started_end(&nodes[0], 60);
    cr_expect_eq(nodes[0].status, 0, "%s", nodes[0].stderr_text);
    cr_expect(strstr(nodes[0].stderr_text, "does not know the secret"), "%s", nodes[0].stderr_text);
}

/* Aumasson and Bernstein's own example. */
Test(nodes, the_proof_is_siphash)
{
    unsigned char key[16], bytes[15];
    for (unsigned char i = 0; i < 16; i++)
        key[i] = i;
    for (unsigned char i = 0; i < 15; i++)
        bytes[i] = i;
    cr_expect_eq(secret_proof(key, bytes, sizeof bytes), 0xa129ca6149be45e5u);
}

Test(nodes, another_version_is_refused)
{
    struct started hub;
    struct nodes nodes = { .count = 2, .number = 1, .size = 2, .version = "9.9.9", .host = "127.0.0.1" };
    char why[300] = "";
    port = new_port();
    snprintf(nodes.port, sizeof nodes.port, "%d", port);
    begin(&hub, "DIST_INIT_TIMEOUT=3", "-n 2 --nodes 2 --node 0", CHAIN);
    cr_expect_eq(nodes_meet(&nodes, 20, why, sizeof why), 46);
    cr_expect(strstr(why, "another version of the library"), "%s", why);
    nodes_leave(&nodes);
    started_end(&hub, 30);
    cr_expect(strstr(hub.stderr_text, "a caller with another version"), "%s", hub.stderr_text);
}

/* ---- reports and ends ---------------------------------------------------------------------------------- */

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
    begin_all(three, 3, ranks, program);
    end_all(three, 3);
    cut_fates(one.stderr_text);
    cut_fates(three[0].stderr_text);
    cr_expect_str_eq(three[0].stdout_text, one.stdout_text, "%s", name);
    cr_expect_str_eq(three[0].stderr_text, one.stderr_text, "%s", name);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(three[i].status, one.status, "%s, node %d: %d", name, i, three[i].status);
}

Test(nodes, reports_are_those_of_one_machine)
{
    static const char *const names[] = {
        "crossed_sends", "ring_of_sends", "missing_collective", "wrong_peer",
        "wrong_tag",     "wrong_size",    "collective_order",   "cured_ring"
    };
    NEEDS_GLOO();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        alike(names[i], 6);
}

static void wait_for(struct started *node, const char *words)
{
    size_t used = 0;
    while (used + 1 < sizeof node->stderr_text && !strstr(node->stderr_text, words)) {
        ssize_t got = read(node->error, node->stderr_text + used, sizeof node->stderr_text - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
        node->stderr_text[used] = '\0';
    }
    cr_assert(strstr(node->stderr_text, words), "not begun: %s", node->stderr_text);
    memset(node->stderr_text, 0, sizeof node->stderr_text);
}

static void signalled(int which, int number, const int *statuses, const char *words)
{
    struct started nodes[3] = { 0 };
    begin_all(nodes, 3, 4, ROUNDS);
    wait_for(&nodes[0], "under way");
    kill(nodes[which].pid, number);
    end_all(nodes, 3);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(nodes[i].status, statuses[i], "node %d, when %d got %d: %d %s", i, which, number,
                     nodes[i].status, nodes[i].stderr_text);
    cr_expect(strstr(nodes[0].stderr_text, words), "%s", nodes[0].stderr_text);
}

Test(nodes, end_together)
{
    NEEDS_GLOO();
    signalled(2, SIGKILL, (int[]){ 43, 43, 137 }, "(node 2) has lost its launcher; rank 3 is there");
    signalled(0, SIGKILL, (int[]){ 137, 43, 43 }, "");
    signalled(1, SIGTERM, (int[]){ 143, 143, 143 }, "interrupted by SIGTERM");
}

Test(nodes, a_rank_that_dies_on_one_is_told_at_node_0)
{
    struct started nodes[2];
    NEEDS_GLOO();
    char path[256], program[300];
    snprintf(program, sizeof program, "%s segv 3 1000", program_path("doomed", path, sizeof path));
    begin_all(nodes, 2, 4, program);
    end_all(nodes, 2);
    for (int i = 0; i < 2; i++)
        cr_expect_eq(nodes[i].status, 139, "node %d: %d", i, nodes[i].status);
    cr_expect(strstr(nodes[0].stderr_text, "rank 3 was killed by signal 11 (SIGSEGV)"), "%s",
              nodes[0].stderr_text);
    cr_expect(strstr(nodes[1].stderr_text, "tells why"), "%s", nodes[1].stderr_text);
}
