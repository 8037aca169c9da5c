/* stop.c: stop a process of the job somewhere (ptrace), and kill it there. */
#define _GNU_SOURCE
#include "kills.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static bool resume(pid_t pid, bool calls, int number)
{
    return ptrace(calls ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, pid, NULL, (void *)(long)number) == 0;
}

/* Until it stands; false: it has ended. */
static bool stands(pid_t pid, int *status)
{
    return waitpid(pid, status, __WALL) == pid && WIFSTOPPED(*status);
}

static bool step(pid_t pid)
{
    int status = SIGTRAP << 8 | 0x7f;
    for (int i = 0; i < now.steps; i++) {
        int number = WSTOPSIG(status) == SIGTRAP || status >> 16 ? 0 : WSTOPSIG(status);
        if (!resume(pid, now.calls, number) || !stands(pid, &status))
            return false;
    }
    return true;
}

/* Let it run to its mark. */
static bool to_the_mark(pid_t pid)
{
    int status;
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
        return false;
    if (write(now.go[1], "", 1) != 1)
        return false;
    while (stands(pid, &status) && WSTOPSIG(status) != SIGUSR1)
        ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
    return WIFSTOPPED(status);
}

/* The launcher's child number `victim`, at its first instruction; the launcher and the others run. */
static pid_t newborn(pid_t launcher)
{
    int status;
    unsigned long child = 0;
    for (int born = 0; born <= now.victim; born++) {
        do {
            if (ptrace(PTRACE_CONT, launcher, NULL, NULL) != 0 || !stands(launcher, &status))
                return -1;
        } while (status >> 16 != PTRACE_EVENT_FORK);
        ptrace(PTRACE_GETEVENTMSG, launcher, NULL, &child);
        if (!stands((pid_t)child, &status))
            return -1;
        if (born < now.victim)
            ptrace(PTRACE_DETACH, (pid_t)child, NULL, NULL);
    }
    ptrace(PTRACE_DETACH, launcher, NULL, NULL);
    return (pid_t)child;
}

static void kill_it(struct result *result, pid_t pid)
{
    if (now.how == TERM_WHILE_STOPPED)
        kill(result->job[0], SIGTERM);
    else
        kill(pid, SIGKILL);
    if (now.how == KILL_TWO)
        kill(result->pids[1], SIGKILL);
    result->killed = true;
}

static bool hear(struct result *result)
{
    struct greeting one;
    for (int heard = 0, all = now.how == KILL_TWO ? 2 : 1; heard < all; heard++) {
        if (read(now.hello[0], &one, sizeof one) != (ssize_t)sizeof one)
            return false;
        result->pids[one.rank != now.victim] = one.pid;
    }
    return true;
}

void stop_and_kill(struct result *result)
{
    int status;
    pid_t launcher = result->job[0], victim = -1;
    if (now.how == KILL_NEWBORN || now.how == KILL_LAUNCHER) {
        ptrace(PTRACE_SEIZE, launcher, NULL,
               (void *)(long)(now.how == KILL_NEWBORN ? PTRACE_O_TRACEFORK : 0));
        kill(launcher, SIGCONT);
        while (stands(launcher, &status) && WSTOPSIG(status) != SIGCONT)
            ptrace(PTRACE_CONT, launcher, NULL, NULL);
        victim = now.how == KILL_NEWBORN ? newborn(launcher) : launcher;
    } else if (hear(result) && to_the_mark(result->pids[0])) {
        victim = result->pids[0];
    }
    if (victim > 0 && step(victim))
        kill_it(result, victim);
}
