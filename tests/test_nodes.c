/*
 * test_nodes.c: one job on several machines (distrun --nodes): how their launchers meet, and what is refused.
 */
#define _GNU_SOURCE
#include "../lib/launch/nodes.h"
#include "nodes_jobs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(nodes, .timeout = 240);

#define CHAIN "build/chapters/02_send_recv_chain/chain"

/* ---- the start ------------------------------------------------------------------------------------- */

Test(nodes, five_ranks_on_three_nodes_are_dealt_out_in_blocks)
{
    struct started nodes[3];
    NEEDS_GLOO();
    nodes_begin_all(nodes, 3, 5,
                    "sh -c 'echo $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE, $GROUP_RANK of "
                    "$GROUP_WORLD_SIZE, $MASTER_ADDR ${DIST_SECRET-no secret}'");
    nodes_end_all(nodes, 3);
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
    nodes_begin_all(nodes, 3, 4, CHAIN);
    nodes_end_all(nodes, 3);
    cr_expect_str_eq(nodes[0].stdout_text,
                     "rank 0 holds 42\nrank 1 holds 52\nrank 2 holds 62\nrank 3 holds 72\n", "%s",
                     nodes[0].stderr_text);
    cr_expect_str_eq(nodes[1].stdout_text, "");
}

/* A closed one's number is no connection's. */
Test(nodes, whose_standard_files_are_closed)
{
    struct started nodes[2];
    NEEDS_GLOO();
    nodes_begin_all(nodes, 2, 2, CHAIN " <&- >&- 2>&-");
    for (int i = 0; i < 2; i++) {
        started_end(&nodes[i], 60);
        cr_expect_eq(nodes[i].status, 0, "node %d: %d", i, nodes[i].status);
    }
}

/* ---- bad input --------------------------------------------------------------------------------------- */

static void refused(const char *settings, const char *options, int status, const char *words)
{
    struct started node;
    nodes_begin_one(&node, settings, options, CHAIN);
    started_end(&node, 30);
    cr_expect_eq(node.status, status, "%s ended with %d", options, node.status);
    cr_expect(strstr(node.stderr_text, words), "%s: not \"%s\" but: %s", options, words, node.stderr_text);
    cr_expect_eq(strchr(node.stderr_text, '\n'), strrchr(node.stderr_text, '\n'), "more than a sentence: %s",
                 node.stderr_text);
}

Test(nodes, what_makes_no_sense_is_told_in_one_sentence)
{
    nodes_port = nodes_new_port();
    refused("A=", "-n 4 --nodes 2 --node 2", 46, "--node is 2, but of 2 nodes the last is 1");
    refused("A=", "-n 4 --nodes 2", 46, "--node is missing");
    refused("A=", "-n 4 --node 1", 46, "--nodes is missing");
    refused("A=", "--nodes 2 --node 0", 46, "-n is missing");
    refused("A=", "-n 1 --nodes 2 --node 0", 46, "1 rank cannot be dealt out to 2 nodes");
    refused("A=", "-n 4 --nodes two --node 0", 46, "--nodes is \"two\"; it must be a whole number");
    refused("A=", "-n 4 --nodes 2 --node 0 --restarts 1", 46, "--restarts is for jobs on one machine");
    refused("BACKEND=shm", "-n 4 --nodes 2 --node 0", 46, "joins ranks of one machine");
    refused("A=", "-n 4 --nodes 2 --node 0 --secret /nowhere/secret", 46, "/nowhere/secret cannot be read");
    refused("DIST_SECRET=abc", "-n 4 --nodes 2 --node 1", 46, "DIST_SECRET is no secret of a job");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 1", 46, "the job's secret is missing");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 0 --at [::1", 46, "--at is \"[::1\"; it must be");
    refused("DIST_INIT_TIMEOUT=1", "-n 5 --nodes 3 --node 0", 44,
            "node 1 (ranks 2 and 3) and node 2 (rank 4) have not come within 1 s");
    refused("DIST_INIT_TIMEOUT=1", "-n 5 --nodes 3 --node 1", 44, "node 0 (ranks 0 and 1) has not answered");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 0 --at " NODES_NOBODY ":29500", 46, "is not known here");
    refused("A=", "-n 4 --nodes 2 --node 1 --at " NODES_NOBODY ":29500", 46, "is not known here");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 0 --at 0.0.0.0:29500", 46, "would listen to everybody");
    refused("DIST_SECRET=", "-n 4 --nodes 2 --node 0 --at 192.0.2.1:29500", 46, "no address of this machine");
}

/* Without --at. */
static void refused_place(const char *address, const char *port, const char *words)
{
    struct started node;
    char line[200];
    snprintf(line, sizeof line,
             "MASTER_ADDR='%s' MASTER_PORT=%s exec build/bin/distrun -n 4 --nodes 2 --node 0 " CHAIN, address,
             port);
    started_begin(&node, SETTINGS(NODES_SECRET), (const char *const[]){ "sh", "-c", line, NULL });
    started_end(&node, 30);
    cr_expect_eq(node.status, 46, "%s ended with %d", line, node.status);
    cr_expect(strstr(node.stderr_text, words), "%s: not \"%s\" but: %s", line, words, node.stderr_text);
}

Test(nodes, an_address_of_the_environment_may_be_of_ipv6_with_or_without_brackets)
{
    refused_place("::", "29500", "would listen to everybody");
    refused_place("[::]", "29500", "would listen to everybody");
    refused_place("::ffff:0.0.0.0", "29500", "would listen to everybody");
    refused_place("::ffff:127.0.0.1", "29500", "is 127.0.0.1 to this machine itself");
    refused_place("2001:db8::1", "29500", "no address of this machine");
    refused_place("127.0.0.1", "99999", "name no place");
    refused_place("[]", "29500", "name no place");
}

Test(nodes, a_port_that_is_taken)
{
    char options[100];
    int fd = nodes_hold_port();
    snprintf(options, sizeof options, "-n 4 --nodes 2 --node 0 --at 127.0.0.1:%d", nodes_port);
    refused("DIST_SECRET=", options, 46, "the port is taken; name another one on all machines");
    close(fd);
}

/* What node 0 prints where it was told no secret can be copied. (A machine may be without IPv6.) */
static void told_others(const char *before, const char *host, const char *words)
{
    struct started node;
    char options[100];
    nodes_port = nodes_new_port();
    snprintf(options, sizeof options, "-n 2 --nodes 2 --node 0 --at %s:%d", host, nodes_port);
    nodes_before = before;
    nodes_begin_one(&node, "A=", options, CHAIN);
    nodes_before = "";
    started_end(&node, 30);
    cr_expect(strstr(node.stderr_text, words) || strstr(node.stderr_text, "cannot wait for the others"),
              "not \"%s\" but: %s", words, node.stderr_text);
}

Test(nodes, the_line_for_the_others_can_be_copied)
{
    told_others("env DIST_SECRET= DIST_INIT_TIMEOUT=1", "[::1]", "--at [::1]:");
    told_others("env DIST_SECRET= DIST_INIT_TIMEOUT=1 BACKEND=mpi", "127.0.0.1", " BACKEND=mpi distrun ");
    told_others("env DIST_SECRET= DIST_INIT_TIMEOUT=1 DIST_ALGORITHM=ring", "127.0.0.1",
                " DIST_ALGORITHM=ring distrun ");
}

Test(nodes, a_file_without_a_secret)
{
    char path[] = "/tmp/secret-XXXXXX", options[100];
    int fd = mkstemp(path);
    nodes_port = nodes_new_port();
    cr_assert(fd >= 0 && write(fd, "\n", 1) == 1);
    snprintf(options, sizeof options, "-n 4 --nodes 2 --node 0 --secret %s", path);
    refused("A=", options, 46, "is no secret of a job");
    close(fd);
    unlink(path);
}

/* Both are told. */
static void unlike(const char *setting, const char *second, const char *program, const char *words)
{
    struct started nodes[2];
    nodes_port = nodes_new_port();
    nodes_begin_one(&nodes[0], "A=", "-n 4 --nodes 2 --node 0", CHAIN);
    nodes_begin_one(&nodes[1], setting, second, program);
    nodes_end_all(nodes, 2);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(nodes[i].status, 46, "node %d ended with %d", i, nodes[i].status);
        cr_expect(strstr(nodes[i].stderr_text, words), "node %d: not \"%s\" but: %s", i, words,
                  nodes[i].stderr_text);
    }
}

Test(nodes, that_do_not_fit_are_told_on_both)
{
    unlike("A=", "-n 4 --nodes 2 --node 1", CHAIN "_vector", "starts another program than node 0");
    unlike("A=", "-n 5 --nodes 2 --node 1", CHAIN, "for 5 ranks on 2 nodes, node 0 for 4 on 2");
    unlike("BACKEND=mpi", "-n 4 --nodes 2 --node 1", CHAIN, ") but \"gloo\" for node 0; give all the same");
}

/* Whoever lacks it, the other one need not wait. */
static void no_program(int where, const char *setting, const char *program, int status, const char *words)
{
    struct started nodes[2];
    char options[80], told[80];
    nodes_port = nodes_new_port();
    for (int i = 0; i < 2; i++) {
        snprintf(options, sizeof options, "-n 4 --nodes 2 --node %d", i);
        nodes_begin_one(&nodes[i], i == where ? setting : "A=", options, i == where ? program : CHAIN);
    }
    nodes_end_all(nodes, 2);
    cr_expect_eq(nodes[!where].status, 46);
    snprintf(told, sizeof told, "distrun: node %d ", where);
    cr_expect(strstr(nodes[!where].stderr_text, told) &&
                  strstr(nodes[!where].stderr_text, "cannot start its ranks, and has said why there"),
              "%s", nodes[!where].stderr_text);
    cr_expect_eq(nodes[where].status, status, "node %d: %d", where, nodes[where].status);
    cr_expect(strstr(nodes[where].stderr_text, words), "%s", nodes[where].stderr_text);
}

Test(nodes, one_that_has_no_program_is_told_at_the_other)
{
    for (int node = 0; node < 2; node++) {
        no_program(node, "A=", CHAIN "_nowhere", 127, "was not found.\n");
        no_program(node, "DIST_INIT_TIMEOUT=99999999999", CHAIN, 46, "DIST_INIT_TIMEOUT is");
        no_program(node, "DIST_TRACE=/nowhere/x.json", CHAIN, 46, "DIST_TRACE names /nowhere/x.json");
    }
}

/* Aumasson and Bernstein's own example: a key of 0 to 15, and all but its last byte as the text. */
Test(nodes, the_proof_is_siphash)
{
    unsigned char key[16];
    for (unsigned char i = 0; i < 16; i++)
        key[i] = i;
    cr_expect_eq(secret_proof(key, key, 15), 0xa129ca6149be45e5u);
}
