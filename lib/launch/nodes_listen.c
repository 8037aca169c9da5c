/* nodes_listen.c: node 0's listener: at the address that was given, and nowhere else. */
#define _GNU_SOURCE
#include "handshake.h"
#include "text.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Is that an address to listen at? Debian gives a machine's own name one in /etc/hosts (127.0.1.1) to which nobody else comes. */
static int nodes_listen_listen_check(const struct nodes *nodes, const struct addrinfo *found, char *why,
                                     size_t why_size)
{
    char address[64] = "";
    getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST);
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "%s would listen to everybody; name this machine's address in the network of the job",
                        nodes->host);
    if (!handshake_is_at_home(address) || handshake_is_at_home(nodes->host))
        return 0;
    return text_why(
        DIST_ERR_ENVIRONMENT, why, why_size,
        "%.100s is %s to this machine itself, where no other one finds it; %s", nodes->host, address,
        nodes->star ? "set MASTER_ADDR to its address in the network of the job (torchrun: --local-addr)"
                    : "name its address in the network of the job");
}

static int nodes_listen_listen_at(const struct addrinfo *at, int callers)
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

int nodes_listen(struct nodes *nodes, int *out, char *why, size_t why_size)
{
    struct addrinfo *found;
    int status = handshake_resolve(nodes, &found, why, why_size);
    if (status != 0)
        return status;
    status = nodes_listen_listen_check(nodes, found, why, why_size);
    *out = -1;
    for (struct addrinfo *at = found; at && *out < 0 && status == 0; at = at->ai_next)
        *out = nodes_listen_listen_at(at, nodes->count);
    int error = errno;
    freeaddrinfo(found);
    if (*out >= 0)
        handshake_address(*out, false, nodes->address, sizeof nodes->address, nodes->port);
    if (*out >= 0 || status != 0)
        return status;
    return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                    "%s 0 cannot wait for the others at %.100s port %s: %s", nodes_unit(nodes), nodes->host,
                    nodes->port,
                    error == EADDRINUSE ? "the port is taken; name another one on all machines"
                    : error == EADDRNOTAVAIL
                        ? "that is no address of this machine; name one that is, or start that one there"
                        : strerror(error));
}
