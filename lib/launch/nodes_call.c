/* nodes_call.c: how a node finds node 0, and what both sides of that need; nodes.c has the order of messages. */
#define _GNU_SOURCE
#include "job.h"
#include "join.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS 5000   /* in which node 0 has to answer */
#define MAPPED "::ffff:" /* so an address of IPv4 is written as one of IPv6 */
#define PAUSE_MS 50 /* between two calls; the first ones come sooner, since all nodes mostly start at once */

struct opening handshake_opening(const struct nodes *nodes)
{
    struct opening own = { .magic = HANDSHAKE_MAGIC, .layout = world_layout() };
    snprintf(own.version, sizeof own.version, "%s", nodes->version);
    secret_random(own.nonce, sizeof own.nonce);
    return own;
}

bool handshake_same_version(const struct opening *a, const struct opening *b)
{
    return a->layout == b->layout && strncmp(a->version, b->version, sizeof a->version) == 0;
}

uint64_t handshake_proof(const struct nodes *nodes, struct introduction said, bool by_caller)
{
    *(by_caller ? &said.proof : &said.called.proof) = 0;
    return secret_proof(nodes->key, &said, by_caller ? sizeof said : offsetof(struct introduction, node));
}

void handshake_digits(const struct sockaddr *address, socklen_t length, char *text, size_t size, char *port)
{
    getnameinfo(address, length, text, (socklen_t)size, port, port ? 8 : 0, NI_NUMERICHOST | NI_NUMERICSERV);
    if (strncmp(text, MAPPED, strlen(MAPPED)) == 0) /* Gloo knows no interface of that name */
        memmove(text, text + strlen(MAPPED), strlen(text + strlen(MAPPED)) + 1);
}

void handshake_address(int fd, bool other, char *text, size_t size, char *port)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    snprintf(text, size, "an unknown address"); /* it has hung up */
    struct sockaddr *to = (struct sockaddr *)&address;
    if ((other ? getpeername(fd, to, &length) : getsockname(fd, to, &length)) == 0)
        handshake_digits(to, length, text, size, port);
}

int handshake_resolve(const struct nodes *nodes, struct addrinfo **found, struct why *why)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    int error = getaddrinfo(nodes->host, nodes->port, &hints, found);
    if (error == 0)
        return 0;
    return why_fail(DIST_ERR_ENVIRONMENT, why,
                    "the host %.100s, at which %s 0 is to be, is not known here (%s)", nodes->host,
                    nodes_unit(nodes), gai_strerror(error));
}

void handshake_own_name(char *name, size_t size)
{
    const char *told = getenv("MASTER_ADDR");
    if (told && *told)
        nodes_read_host(told, name, size);
    else
        gethostname(name, size - 1);
}

bool handshake_is_at_home(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
           strcmp(address, "localhost") == 0;
}

void handshake_find(const char *name, char *address, size_t size)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
    if (getaddrinfo(name, NULL, &hints, &found) != 0)
        return;
    handshake_digits(found->ai_addr, found->ai_addrlen, address, size, NULL);
    if (handshake_is_at_home(address))
        *address = '\0';
    freeaddrinfo(found);
}

int nodes_look_around(const struct nodes *nodes, struct why *why)
{
    if (nodes->self)
        launch_look_around(nodes->self);
    if (!nodes->self || !world_failed(&nodes->self->world))
        return 0;
    return why_fail(DIST_ERR_PEER_LOST, why,
                    "a rank of this machine has ended before all had come; look at that one first");
}

/* ---- the call ------------------------------------------------------------------------------------------- */

/* Node 0 proves itself first. 0: done; -1: it has hung up, try again; else a status. */
static int nodes_call_introduce(struct nodes *nodes, struct why *why)
{
    struct connection *hub = &nodes->links[0];
    int64_t give_up = job_clock() + ANSWER_MS;
    struct introduction introduction = { .node = nodes->number,
                                         .count = nodes->count,
                                         .size = nodes->size,
                                         .alike = nodes->alike,
                                         .program = nodes->program };
    introduction.caller = handshake_opening(nodes);
    bool spoke = connection_say(hub, &introduction.caller, sizeof introduction.caller, give_up) &&
                 connection_hear(hub, &introduction.called, sizeof introduction.called, give_up);
    if (!spoke && introduction.called.magic == 0)
        return -1;
    if (introduction.called.magic != HANDSHAKE_MAGIC) /* be it a greeting of few bytes */
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "what answers at %.100s port %s is no %s; name another port%s", nodes->host,
                        nodes->port, nodes->star ? "rank of this job" : "distrun",
                        nodes->star ? " in MASTER_PORT" : "");
    if (!spoke)
        return -1;
    if (!handshake_same_version(&introduction.caller, &introduction.called))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s 0 runs another version of the library (%.20s, this is %s); install the "
                        "same on all machines",
                        nodes_unit(nodes), introduction.called.version, nodes->version);
    if (introduction.called.proof != handshake_proof(nodes, introduction, false)) {
        connection_say(hub, &introduction, sizeof introduction,
                       give_up); /* which proves nothing: so node 0 can tell it */
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s 0 at %.100s has another secret; start both with the same DIST_SECRET",
                        nodes_unit(nodes), nodes->host);
    }
    gethostname(introduction.name, sizeof introduction.name - 1);
    introduction.proof = handshake_proof(nodes, introduction, true);
    return connection_say(hub, &introduction, sizeof introduction, give_up) ? 0 : -1;
}

/* Node 0 says whether all write down what they do, and writes the file. */
static void nodes_call_follow_trace(bool traced)
{
    if (traced)
        setenv("DIST_TRACE", "/dev/null", 1); /* a rank asks only whether it is set */
    else if (setting_text("DIST_TRACE")) {
        fputs("distrun: DIST_TRACE is passed over here; set it at node 0, which writes one file for all.\n",
              stderr);
        unsetenv("DIST_TRACE");
    }
}

/* Its first frame says that all have come, or, with a status and a sentence, why they will not. -1: it has hung up. */
static int nodes_call_wait_for_all(struct nodes *nodes, struct why *why)
{
    struct connection *hub = &nodes->links[0];
    int64_t give_up = job_clock() + nodes->seconds * (int64_t)1000 + ANSWER_MS;
    struct frame frame;
    struct pollfd ready = { .fd = hub->fd, .events = POLLIN };
    int lost = 0;
    while (lost == 0 && job_clock() < give_up && poll(&ready, 1, 100) <= 0)
        lost = nodes_look_around(nodes, why);
    if (lost)
        return lost;
    if (connection_hear(hub, &frame, sizeof frame, give_up) && frame.bytes < sizeof why->text &&
        connection_hear(hub, why->text, frame.bytes, give_up)) {
        why->text[frame.bytes] = '\0';
        if (frame.kind != FRAME_COME)
            return frame.number > 0 ? frame.number : DIST_ERR_STATE;
        if (frame.more[0])
            nodes_call_follow_trace(frame.number);
        return 0;
    }
    if (job_clock() < give_up)
        return -1;
    return why_fail(DIST_ERR_TIMEOUT, why, "%s 0 (%.100s) does not say whether all have come",
                    nodes_unit(nodes), nodes->host);
}

/* One call. -1: nobody has answered (*error: why it was not taken, or 0), or it was not heard out: node 0 had no time for it. */
static int nodes_call_once(struct nodes *nodes, const struct addrinfo *found, bool *heard, int *error,
                           struct why *why)
{
    struct connection *hub = &nodes->links[0];
    int fd = join_at_any(found, connect);
    *error = fd < 0 ? errno : 0;
    if (fd < 0 && *heard)
        return why_fail(DIST_ERR_PEER_LOST, why,
                        "%s 0 (%.100s) has ended before all had come; look at it first", nodes_unit(nodes),
                        nodes->host);
    if (fd < 0)
        return -1;
    handshake_address(fd, false, nodes->address, sizeof nodes->address, NULL);
    connection_open(hub, fd);
    snprintf(hub->name, sizeof hub->name, "%.63s", nodes->host);
    int status = nodes_call_introduce(nodes, why);
    if (status == 0) {
        *heard = true;
        status = nodes_call_wait_for_all(nodes, why);
    }
    if (status != 0)
        connection_close(hub);
    return status;
}

static const char *nodes_call_advice(const struct nodes *nodes, int error)
{
    if (error == 0)
        return "somebody else may listen there: see who does, or name another port";
    if (error != ECONNREFUSED && !nodes->foreign)
        return "no call comes through to that machine: see what keeps the two apart";
    return nodes_advice(nodes);
}

int nodes_call(struct nodes *nodes, struct why *why)
{
    struct addrinfo *found;
    bool heard = false;
    int64_t give_up = job_clock() + nodes->seconds * (int64_t)1000;
    unsigned pause = 1;
    char name[100];
    int error, status = handshake_resolve(nodes, &found, why);
    if (status != 0)
        return status;
    do {
        status = nodes_call_once(nodes, found, &heard, &error, why);
        int lost = status < 0 ? nodes_look_around(nodes, why) : 0;
        status = lost ? lost : status;
        if (status < 0)
            usleep(pause * 1000);
        pause = pause < PAUSE_MS / 2 ? pause * 2 : PAUSE_MS;
    } while (status < 0 && job_clock() < give_up);
    freeaddrinfo(found);
    if (status >= 0)
        return status;
    return why_fail(DIST_ERR_TIMEOUT, why,
                    "%s has not answered at %.100s port %s within %d s; %s "
                    "(DIST_INIT_TIMEOUT=SECONDS waits longer)",
                    nodes_name(nodes, 0, name, sizeof name), nodes->host, nodes->port, nodes->seconds,
                    nodes_call_advice(nodes, error));
}
