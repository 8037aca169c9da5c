/*
 * nodes.c: the watchers of a job's machines meet.
 *
 *   node k (calls)                        node 0 (listens at the address given, and nowhere else)
 *     opening: version, nonce         -->
 *                                     <--   opening: version, nonce, proof that it knows the secret
 *     introduction: which node of     -->
 *       how many, program, and proof
 *                                     <--   FRAME_COME when all have; or FRAME_REFUSED: a status and a sentence
 *
 * Both proofs are made of both nonces and of what is claimed (secret.c), so the secret is never sent, and an old proof is worth nothing.
 * Who cannot prove it is sent away, and told once; who can, but fits not (another program, a node that is there already), ends the start
 * on all machines: it is one of ours, and wrong.
 */
#define _GNU_SOURCE
#include "job.h"
#include "join.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Is that an address to listen at? Debian gives a machine's own name one in /etc/hosts (127.0.1.1) to which nobody else comes. */
static int nodes_check_place(const struct nodes *nodes, const struct addrinfo *found, struct why *why)
{
    char address[64] = "";
    handshake_digits(found->ai_addr, found->ai_addrlen, address, sizeof address, NULL);
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s would listen to everybody; name this machine's address in the network of the job",
                        nodes->host);
    if (!handshake_is_at_home(address) || handshake_is_at_home(nodes->host))
        return 0;
    return why_fail(
        DIST_ERR_ENVIRONMENT, why, "%.100s is %s to this machine itself, where no other one finds it; %s",
        nodes->host, address,
        nodes->star ? "set MASTER_ADDR to its address in the network of the job (torchrun: --local-addr)"
                    : "name its address in the network of the job");
}

int nodes_listen(struct nodes *nodes, int *out, struct why *why)
{
    struct addrinfo *found;
    int status = handshake_resolve(nodes, &found, why);
    if (status != 0)
        return status;
    status = nodes_check_place(nodes, found, why);
    *out = status == 0 ? join_at_any(found, join_wait) : -1;
    int error = errno;
    freeaddrinfo(found);
    if (*out >= 0)
        handshake_address(*out, false, nodes->address, sizeof nodes->address, nodes->port);
    if (*out >= 0 || status != 0)
        return status;
    return why_fail(DIST_ERR_ENVIRONMENT, why, "%s 0 cannot wait for the others at %.100s port %s: %s",
                    nodes_unit(nodes), nodes->host, nodes->port,
                    error == EADDRINUSE ? "the port is taken; name another one on all machines"
                    : error == EADDRNOTAVAIL
                        ? "that is no address of this machine; name one that is, or start that one there"
                        : strerror(error));
}

/* The last that has not come; 0: all have. */
static int nodes_last_missing(const struct nodes *nodes)
{
    int node = nodes->count - 1;
    while (node > 0 && nodes->links[node].fd >= 0)
        node--;
    return node;
}

static int nodes_missing(const struct nodes *nodes, struct why *why)
{
    struct text text = { .used = 0 };
    char name[100];
    int count = 0, last = nodes_last_missing(nodes);
    for (int node = 1; node < nodes->count; node++)
        if (nodes->links[node].fd < 0)
            text_add(&text, "%s%s",
                     count++ == 0   ? ""
                     : node == last ? " and "
                                    : ", ",
                     nodes_name(nodes, node, name, sizeof name));
    return why_fail(DIST_ERR_TIMEOUT, why,
                    "%.300s %s not come within %d s; %s (DIST_INIT_TIMEOUT=SECONDS waits longer)", text.bytes,
                    count == 1 ? "has" : "have", nodes->seconds, nodes_advice(nodes));
}

/* One that came and waits says nothing: what comes of it is its end. */
static int nodes_look_after(const struct nodes *nodes, struct why *why)
{
    for (int node = 1; node < nodes->count; node++)
        if (nodes->links[node].fd >= 0 && !connection_fill(&nodes->links[node]))
            return why_fail(DIST_ERR_PEER_LOST, why,
                            "%s %d (%s) came, and has ended before all had; look at that one first",
                            nodes_unit(nodes), node, nodes->links[node].name);
    return 0;
}

static int nodes_receive_all(struct nodes *nodes, int fd, struct why *why)
{
    int64_t give_up = job_clock() + nodes->seconds * (int64_t)1000;
    struct callers callers = { .count = 0 };
    int status = 0;
    while (status == 0 && nodes_last_missing(nodes) > 0) {
        int64_t left = give_up - job_clock();
        if (left <= 0)
            status = nodes_missing(nodes, why);
        else if (!nodes_callers_wait(&callers, fd, left < 100 ? (int)left : 100))
            status = nodes_look_after(nodes, why);
        else if (callers.lack_files)
            status = why_fail(
                DIST_ERR_SYSTEM, why,
                "%s 0 cannot hear all others: no more files may be open; allow more (ulimit -n 4096)",
                nodes_unit(nodes));
        status = status ? status : nodes_callers_hear(&callers, nodes, why);
        status = status ? status : nodes_look_around(nodes, why);
    }
    nodes_callers_leave(&callers);
    return status;
}

static int nodes_host(struct nodes *nodes, int fd, struct why *why)
{
    /* (ranks ask each other whether they trace: nodes_thread.c) */
    const struct frame come = { FRAME_COME, setting_text("DIST_TRACE") != NULL, 0, { !nodes->star } };
    int status = fd < 0 ? nodes_listen(nodes, &fd, why) : 0;
    if (status != 0)
        return status;
    nodes_say_secret(nodes); /* now that somebody can come */
    status = nodes_receive_all(nodes, fd, why);
    close(fd);
    for (int node = 1; node < nodes->count; node++)
        if (status != 0)
            control_refuse(&nodes->links[node], status, why->text);
        else
            connection_put(&nodes->links[node], come, NULL);
    return status;
}

int nodes_meet(struct nodes *nodes, int listener, struct why *why)
{
    nodes->links = calloc((size_t)nodes->count, sizeof *nodes->links);
    if (!nodes->links)
        return why_fail(DIST_ERR_MEMORY, why, "the system gives no memory for %d nodes", nodes->count);
    for (int node = 0; node < nodes->count; node++)
        nodes->links[node].fd = -1;
    /* Of its own link a node needs no more than this: a trace names all hosts. */
    gethostname(nodes->links[nodes->number].name, sizeof nodes->links->name - 1);
    return nodes->number == 0 ? nodes_host(nodes, listener, why) : nodes_call(nodes, why);
}

void nodes_leave(struct nodes *nodes)
{
    for (int node = 0; nodes->links && node < nodes->count; node++)
        connection_close(&nodes->links[node]);
    free(nodes->links);
    nodes->links = NULL;
}
