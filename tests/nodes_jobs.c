#define _GNU_SOURCE
#include "nodes_jobs.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECRET "DIST_SECRET=000102030405060708090a0b0c0d0e0f"

int nodes_port;

/* A port that nobody has: the kernel's choice. */
int nodes_new_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, size);
    getsockname(fd, (struct sockaddr *)&address, &size);
    close(fd);
    return ntohs(address.sin_port);
}

void nodes_begin_one(struct started *node, const char *settings, const char *options, const char *program)
{
    char line[512];
    snprintf(line, sizeof line, "exec build/bin/distrun %s --at 127.0.0.1:%d %s", options, nodes_port,
             program);
    started_begin(node, SETTINGS(SECRET, "DIST_INIT_TIMEOUT=20", "DIST_OUTPUT=ordered", settings),
                  (const char *const[]){ "sh", "-c", line, NULL });
}

void nodes_begin_all(struct started *nodes, int count, int ranks, const char *program)
{
    nodes_port = nodes_new_port();
    for (int i = 0; i < count; i++) {
        char options[80];
        snprintf(options, sizeof options, "-n %d --nodes %d --node %d", ranks, count, i);
        nodes_begin_one(&nodes[i], "BACKEND=", options, program);
    }
}

void nodes_end_all(struct started *nodes, int count)
{
    for (int i = 0; i < count; i++)
        started_end(&nodes[i], 60);
}

bool nodes_have_gloo(void)
{
    return access("build/plugins/dist-gloo.so", R_OK) == 0;
}
