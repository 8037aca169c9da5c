/*
 * test_nodes_strangers.c: one job on several machines (distrun --nodes): somebody else listens where node 0 is to be, or calls there.
 */
#define _GNU_SOURCE
#include "../lib/launch/nodes.h"
#include "nodes_jobs.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(nodes_strangers, .timeout = 240);

#define CHAIN "build/chapters/02_send_recv_chain/chain"

/* ---- somebody listens ------------------------------------------------------------------------------ */

/* Whoever holds the port says so much, and waits. */
Test(nodes_strangers, a_greeting_of_somebody_else_is_told_by_whom_it_greets)
{
    struct started node;
    int fd = nodes_hold_port();
    nodes_begin_one(&node, "DIST_INIT_TIMEOUT=1", "-n 4 --nodes 2 --node 1", CHAIN);
    int caller = accept(fd, NULL, NULL);
    cr_assert(caller >= 0 && write(caller, "SSH-2.0\r\n", 9) == 9);
    started_end(&node, 30);
    cr_expect_eq(node.status, 46);
    cr_expect(strstr(node.stderr_text, "is no distrun; name another port"), "%s", node.stderr_text);
    close(caller);
    close(fd);
}

/* And whoever says nothing may be anybody. */
Test(nodes_strangers, a_silent_listener_is_not_taken_for_nobody)
{
    struct started node;
    int fd = nodes_hold_port();
    nodes_begin_one(&node, "DIST_INIT_TIMEOUT=1", "-n 4 --nodes 2 --node 1", CHAIN);
    started_end(&node, 30);
    cr_expect_eq(node.status, 44);
    cr_expect(strstr(node.stderr_text, "somebody else may listen there"), "%s", node.stderr_text);
    close(fd);
}

/* Of nobody's port a call comes back at once; of a network without a way to it none does. */
Test(nodes_strangers, an_address_that_no_call_reaches)
{
    struct started node;
    nodes_port = nodes_new_port();
    nodes_begin_one(&node, "DIST_INIT_TIMEOUT=1", "-n 4 --nodes 2 --node 1 --at 255.255.255.255:29500",
                    CHAIN);
    started_end(&node, 30);
    cr_expect_eq(node.status, 44);
    cr_expect(strstr(node.stderr_text, "no call comes through to that machine"), "%s", node.stderr_text);
}

/* ---- somebody calls -------------------------------------------------------------------------------- */

static int call(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)nodes_port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    for (int i = 0; i < 3000 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0; i++)
        usleep(10000);
    return fd;
}

/* One says nothing, one hangs up, one is a browser, one sends without end: none keeps node 1 out. */
Test(nodes_strangers, that_call_are_passed_over)
{
    static const char noise[100000] = "GET / HTTP/1.1\r\n\r\n";
    struct started nodes[2];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    nodes_begin_one(&nodes[0], "A=", "-n 2 --nodes 2 --node 0", CHAIN);
    int silent = call(), browser = call(), endless = call();
    close(call());
    cr_expect_eq(send(browser, noise, 18, MSG_NOSIGNAL), 18);
    cr_expect(send(endless, noise, sizeof noise, MSG_NOSIGNAL) > 0);
    nodes_begin_one(&nodes[1], "A=", "-n 2 --nodes 2 --node 1", CHAIN);
    nodes_end_all(nodes, 2);
    cr_expect_eq(nodes[0].status, 0, "%s", nodes[0].stderr_text);
    cr_expect(strstr(nodes[0].stderr_text, "a caller that is no distrun, at 127.0.0.1, was sent away"), "%s",
              nodes[0].stderr_text);
    close(silent);
    close(browser);
    close(endless);
}

/* Some are silent, and call before node 1 does: they are heard together, each for 6 s. */
Test(nodes_strangers, that_are_silent_keep_nobody_waiting)
{
    struct started nodes[2];
    int silent[12];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    nodes_begin_one(&nodes[0], "DIST_INIT_TIMEOUT=20", "-n 2 --nodes 2 --node 0", CHAIN);
    for (int i = 0; i < 12; i++)
        silent[i] = call();
    nodes_begin_one(&nodes[1], "DIST_INIT_TIMEOUT=20", "-n 2 --nodes 2 --node 1", CHAIN);
    nodes_end_all(nodes, 2);
    cr_expect(nodes[0].status == 0 && nodes[1].status == 0, "%s%s", nodes[0].stderr_text,
              nodes[1].stderr_text);
    for (int i = 0; i < 12; i++)
        close(silent[i]);
}

/* Of 1024 ranks that torchrun starts each calls rank 0. */
Test(nodes_strangers, more_than_files_may_be_open)
{
    struct started nodes[8];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    for (int i = 0; i < 8; i++) {
        char options[80];
        snprintf(options, sizeof options, "-n 8 --nodes 8 --node %d", i);
        nodes_before = i == 0 ? "sh -c 'ulimit -n 8; exec \"$@\"' sh" : "";
        nodes_begin_one(&nodes[i], i == 0 ? "DIST_INIT_TIMEOUT=60" : "DIST_INIT_TIMEOUT=5", options, CHAIN);
    }
    nodes_end_all(nodes, 8);
    cr_expect_eq(nodes[0].status, 48);
    cr_expect(strstr(nodes[0].stderr_text, "node 0 cannot hear all others: no more files"), "%s",
              nodes[0].stderr_text);
}

Test(nodes_strangers, a_wrong_secret_is_sent_away_and_the_right_one_taken)
{
    struct started nodes[3];
    NEEDS_GLOO();
    nodes_port = nodes_new_port();
    nodes_begin_one(&nodes[0], "A=", "-n 2 --nodes 2 --node 0", CHAIN);
    nodes_begin_one(&nodes[1], "DIST_SECRET=ffffffffffffffffffffffffffffffff", "-n 2 --nodes 2 --node 1",
                    CHAIN);
    started_end(&nodes[1], 60);
    cr_expect_eq(nodes[1].status, 46);
    cr_expect(strstr(nodes[1].stderr_text, "has another secret"), "%s", nodes[1].stderr_text);
    nodes_begin_one(&nodes[2], "A=", "-n 2 --nodes 2 --node 1", CHAIN);
    started_end(&nodes[2], 60);
    started_end(&nodes[0], 60);
    cr_expect_eq(nodes[0].status, 0, "%s", nodes[0].stderr_text);
    cr_expect(strstr(nodes[0].stderr_text, "does not know the secret"), "%s", nodes[0].stderr_text);
}

Test(nodes_strangers, another_version_is_refused)
{
    struct started hub;
    struct nodes nodes = {
        .count = 2, .number = 1, .size = 2, .version = "9.9.9", .host = "127.0.0.1", .seconds = 20
    };
    struct why why;
    nodes_port = nodes_new_port();
    snprintf(nodes.port, sizeof nodes.port, "%d", nodes_port);
    nodes_begin_one(&hub, "DIST_INIT_TIMEOUT=3", "-n 2 --nodes 2 --node 0", CHAIN);
    cr_expect_eq(nodes_meet(&nodes, -1, &why), 46);
    cr_expect(strstr(why.text, "another version of the library"), "%s", why.text);
    nodes_leave(&nodes);
    started_end(&hub, 30);
    cr_expect(strstr(hub.stderr_text, "a caller with another version"), "%s", hub.stderr_text);
}
