/* generated_judge.c: run a program as a child process, and compare what came of it with its label. */
#define _GNU_SOURCE
#include "generated.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void be_the_program(const struct gen_program *p, const char *mode, int schedules, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDERR_FILENO);
    setenv("DIST_RANKS", mode, 1);
    unsetenv("DIST_CHECK");
    unsetenv("DIST_BUFFERING");
    for (int i = 0; i < 2; i++)
        if (p->settings[i])
            putenv((char *)p->settings[i]);
    _exit(gen_spawn(p, schedules));
}

/* Keep what the child says until its end. False: the deadline came first. */
static bool listen_to(int in, struct gen_verdict *verdict, double deadline)
{
    size_t used = 0;
    double until = dist_time() + deadline;
    for (;;) {
        struct pollfd waiting = { .fd = in, .events = POLLIN };
        double left = until - dist_time();
        char rest[1024];
        if (left <= 0 || poll(&waiting, 1, (int)(left * 1000) + 1) <= 0)
            return false;
        size_t room = sizeof verdict->said - 1 - used;
        ssize_t got = read(in, room ? verdict->said + used : rest, room ? room : sizeof rest);
        if (got <= 0)
            return true;
        used += room ? (size_t)got : 0;
    }
}

static bool names(const char *said, int line)
{
    char place[40];
    int length = snprintf(place, sizeof place, "program:%d", line);
    for (const char *at = strstr(said, place); at; at = strstr(at + 1, place))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

static void compare(const struct gen_program *p, struct gen_verdict *v)
{
    int named = 0;
    for (int i = 0; i < 2; i++)
        named += p->guilty[i] > 0 && names(v->said, p->guilty[i]);
    if (v->status == -1)
        snprintf(v->wrong, sizeof v->wrong, "it did not end in time");
    else if (v->status != p->status)
        snprintf(v->wrong, sizeof v->wrong, "exit status %d, must be %d", v->status, p->status);
    else if (p->fault == FAULT_NONE && v->said[0])
        snprintf(v->wrong, sizeof v->wrong, "it is right, and something was said");
    else if (named < p->named)
        snprintf(v->wrong, sizeof v->wrong, "the report names %d of the lines %d and %d, must name %d", named,
                 p->guilty[0], p->guilty[1], p->named);
    v->right = v->wrong[0] == '\0';
}

void gen_judge(const struct gen_program *p, const char *mode, int schedules, double deadline,
               struct gen_verdict *verdict)
{
    int pipes[2], status = 0;
    memset(verdict, 0, sizeof *verdict);
    if (pipe(pipes) != 0)
        abort();
    double start = dist_time();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        be_the_program(p, mode, schedules, pipes[1]);
    }
    close(pipes[1]);
    bool ended = listen_to(pipes[0], verdict, deadline);
    if (!ended)
        kill(child, SIGKILL);
    close(pipes[0]);
    waitpid(child, &status, 0);
    verdict->seconds = dist_time() - start;
    verdict->status = !ended ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    compare(p, verdict);
}
