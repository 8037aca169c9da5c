/*
 * plain.c [END]: a rank without dist_spawn; whoever starts it tells it its place. END: leave, exit (without leaving), kill; thread: it was a
 * thread that has ended since which joined the job, and now all wait for each other; late: the same, a second after it was started; later: a thread that has not called yet sends what
 * they wait for.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tensor *sent;

static void *send_later(void *unused)
{
    usleep(700000);
    dist_send(sent, 1 - dist_get_rank());
    return unused;
}

static void *join_job(void *unused)
{
    dist_init_process_group();
    return unused;
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "leave";
    pthread_t thread;
    bool late = strcmp(end, "late") == 0;
    if (late)
        sleep(1);
    if (strcmp(end, "thread") != 0 || pthread_create(&thread, NULL, join_job, NULL) != 0)
        join_job(NULL);
    else
        pthread_join(thread, NULL);
    int rank = dist_get_rank(), size = dist_get_world_size();
    tensor *x = tensor_full(DIST_I32, rank + 1, 1);
    dist_all_reduce(x);
    if (late || strcmp(end, "thread") == 0)
        dist_recv(x, (rank + 1) % size);
    sent = x;
    if (strcmp(end, "later") == 0 && pthread_create(&thread, NULL, send_later, NULL) == 0) {
        tensor *y = tensor_zeros(DIST_I32, 1);
        dist_recv(y, 1 - rank);
        pthread_join(thread, NULL);
    }
    printf("rank %d of %d: %g\n", rank, size, tensor_item(x, 0));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("plain");
        return 3;
    }
    if (rank == size - 1 && strcmp(end, "exit") == 0)
        return 0;
    if (rank == size - 1 && strcmp(end, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(end, "leave") != 0)
        dist_barrier();
    tensor_free(x);
    dist_destroy_process_group();
    return 0;
}
