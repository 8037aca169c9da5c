/* handshake.c: what both sides of a handshake need; nodes.c has the order. And node 0's listener: at the address that was given, and
 * nowhere else. */
#define _GNU_SOURCE
#include "handshake.h"
#include "join.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct opening handshake_opening(const struct nodes *nodes)
{
    struct opening own = { .magic = HANDSHAKE_MAGIC, .layout = join_layout() };
    snprintf(own.version, sizeof own.version, "%s", nodes->version);
    secret_random(own.nonce, sizeof own.nonce);
    return own;
}

bool handshake_same_version(const struct opening *a, const struct opening *b)
{
    return a->layout == b->layout && strncmp(a->version, b->version, sizeof a->version) == 0;
}

uint64_t handshake_proof_of_called(const struct nodes *nodes, const struct opening *caller,
                                   struct opening called)
{
    struct opening both[] = { *caller, called };
    both[1].proof = 0;
    return secret_proof(nodes->key, both, sizeof both);
}

uint64_t handshake_proof_of_caller(const struct nodes *nodes, struct introduction introduction)
{
    introduction.proof = 0;
    return secret_proof(nodes->key, &introduction, sizeof introduction);
}

void handshake_address(int fd, bool other, char *text, size_t size, char *port)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    snprintf(text, size, "somebody");
    struct sockaddr *to = (struct sockaddr *)&address;
    if ((other ? getpeername(fd, to, &length) : getsockname(fd, to, &length)) == 0)
        getnameinfo(to, length, text, (socklen_t)size, port, port ? 8 : 0, NI_NUMERICHOST | NI_NUMERICSERV);
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
    getnameinfo(found->ai_addr, found->ai_addrlen, address, (socklen_t)size, NULL, 0, NI_NUMERICHOST);
    if (handshake_is_at_home(address))
        *address = '\0';
    freeaddrinfo(found);
}

/* ---- the listener ---------------------------------------------------------------------------------------- */

/* Is that an address to listen at? Debian gives a machine's own name one in /etc/hosts (127.0.1.1) to which nobody else comes. */
static int handshake_check_place(const struct nodes *nodes, const struct addrinfo *found, struct why *why)
{
    char address[64] = "";
    getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST);
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

static int handshake_listen_at(const struct addrinfo *at, int callers)
{
    int on = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, callers) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int nodes_listen(struct nodes *nodes, int *out, struct why *why)
{
    struct addrinfo *found;
    int status = handshake_resolve(nodes, &found, why);
    if (status != 0)
        return status;
    status = handshake_check_place(nodes, found, why);
    *out = -1;
    for (struct addrinfo *at = found; at && *out < 0 && status == 0; at = at->ai_next)
        *out = handshake_listen_at(at, nodes->count);
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
