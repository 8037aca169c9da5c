/* parents.c: rank 1 forks a child, which ends in a way that is named, and which is no rank; or
 * ("outlive") the rank is killed, and the child lives on; or
 * ("before") ranks are forked by a process that has tensors. */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *what;

/* Does it come back? Then it leaves run(). */
static void child(void)
{
    if (strcmp(what, "exit") == 0)
        exit(3);
    if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "call") == 0)
        dist_barrier();
    if (strcmp(what, "leave") == 0)
        dist_destroy_process_group();
    if (strcmp(what, "outlive") == 0) {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        sleep(20);
        _exit(0);
    }
}

static void run(int rank, int unused)
{
    (void)unused;
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank, 2);
    if (rank == 1) {
        int status = 0;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            child();
            return;
        }
        if (strcmp(what, "outlive") == 0)
            raise(SIGKILL);
        waitpid(pid, &status, 0);
        printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    dist_all_reduce(x);
    if (rank == 1)
        printf("sum %g\n", tensor_item(x, 0));
    tensor_free(x);
    dist_destroy_process_group();
}

static void quiet(int rank, int unused)
{
    (void)unused;
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank, 2);
    dist_all_reduce(x);
    tensor_free(x);
    dist_destroy_process_group();
}

/* Started from a process whose streams are at work. */
static int many_spawns(void)
{
    int status = 0;
    tensor *x = tensor_zeros(DIST_F32, 2);
    for (int i = 0; i < 20 && status == 0; i++) {
        for (int fill = 0; fill < 50; fill++)
            tensor_fill(x, fill);
        status = dist_spawn(quiet, 2);
    }
    tensor_free(x);
    return status;
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "exit";
    return strcmp(what, "before") == 0 ? many_spawns() : dist_spawn(run, 3);
}
