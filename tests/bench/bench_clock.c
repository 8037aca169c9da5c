/*
 * bench_clock.c: how long a command takes, from launch to exit, seen from outside.
 *
 *   usage: bench_clock NAME RANKS BYTES TIMES COMMAND...
 */
#define _GNU_SOURCE
#include "timing.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TIMES = 99 };

/* Microseconds; exits where the command fails. */
static double run_once(char **command)
{
    double start = now();
    pid_t child = fork();
    int status;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("bench_clock");
        exit(1);
    }
    if (status != 0)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return now() - start;
}

int main(int argc, char **argv)
{
    double took[MOST_TIMES];
    int times = argc > 5 ? atoi(argv[4]) : 0;
    if (times < 1 || times > MOST_TIMES) {
        fprintf(stderr, "usage: %s NAME RANKS BYTES TIMES COMMAND...\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < times; i++)
        took[i] = run_once(argv + 5);
    tell(argv[1], atoi(argv[2]), atol(argv[3]), median(took, times), "us");
    return 0;
}
