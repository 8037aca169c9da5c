/*
 * tcp_ping.c: what a cable does, without any library of ours: TCP and nothing else.
 *
 *     tcp_ping listen                    send back all that comes to port 5000, of one caller after another; says "listens"
 *     tcp_ping HOST BYTES TIMES MS       the median time of a message one way, in us; 1 if nothing comes back within MS
 */
#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PORT 5000

static void prompt(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int ping_listen(void)
{
    static char room[1 << 16];
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, 5) != 0) {
        perror("tcp_ping");
        return 2;
    }
    puts("listens");
    fflush(stdout);
    for (;;) {
        int caller = accept(fd, NULL, NULL);
        prompt(caller);
        for (ssize_t n; (n = recv(caller, room, sizeof room, 0)) > 0;)
            if (send(caller, room, (size_t)n, MSG_NOSIGNAL) != n)
                break;
        close(caller);
    }
}

static int call(const char *host, int milliseconds)
{
    struct timeval patience = { milliseconds / 1000, milliseconds % 1000 * 1000 };
    struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;
    if (getaddrinfo(host, "5000", &wanted, &found) != 0)
        return -1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    prompt(fd);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    bool there = connect(fd, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    return there ? fd : -1;
}

/* There and back; seconds one way, or -1. (So little that it fits into the sockets' buffers.) */
static double swap(int fd, char *data, size_t bytes)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (send(fd, data, bytes, MSG_NOSIGNAL) != (ssize_t)bytes ||
        recv(fd, data, bytes, MSG_WAITALL) != (ssize_t)bytes)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec)) / 2;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int ping(const char *host, size_t bytes, int times, int milliseconds)
{
    int fd = call(host, milliseconds), done = 0;
    char *data = calloc(bytes, 1);
    double *took = calloc((size_t)times, sizeof *took);
    while (fd >= 0 && data && took && done < times && (took[done] = swap(fd, data, bytes)) >= 0)
        done++;
    if (done == times) {
        qsort(took, (size_t)times, sizeof *took, compare);
        printf("%.1f\n", 1e6 * took[times / 2]);
    }
    free(took);
    free(data);
    return done != times;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "listen") == 0)
        return ping_listen();
    int times = count == 5 ? atoi(words[3]) : 0;
    if (times > 0 && atol(words[2]) > 0)
        return ping(words[1], (size_t)atol(words[2]), times, atoi(words[4]));
    fprintf(stderr, "usage: tcp_ping listen | HOST BYTES TIMES MS\n");
    return 2;
}
