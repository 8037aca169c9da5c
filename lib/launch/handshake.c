/* handshake.c: what both sides of a handshake need; nodes.c has the order. */
#define _GNU_SOURCE
#include "handshake.h"
#include "join.h"

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

uint64_t handshake_proof_of_caller(const struct nodes *nodes, struct claim claim)
{
    claim.proof = 0;
    return secret_proof(nodes->key, &claim, sizeof claim);
}

bool handshake_receive(int fd, void *bytes, size_t size)
{
    return recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

bool handshake_give(int fd, const void *bytes, size_t size)
{
    return send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
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

int handshake_resolve(const struct nodes *nodes, struct addrinfo **found, char *why, size_t why_size)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    int error = getaddrinfo(nodes->host, nodes->port, &hints, found);
    if (error == 0)
        return 0;
    return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
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
