/* job.c: start the job of a case, have it killed, and see whether all of it ends. */
#define _GNU_SOURCE
#include "kills.h"
#include "../../lib/dist.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define IN_TIME 20.0 /* s; a job ends in hundredths of that, but the machine may be busy */
#define SOON 5.0     /* s, after SIGTERM: the ranks have one */

static void set_number(const char *name, unsigned long number)
{
    char text[24];
    snprintf(text, sizeof text, "%lu", number);
    setenv(name, text, 1);
}

static pid_t start_process(int errors, int foreign_rank)
{
    pid_t controller = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    if (now.how == KILL_THREADS)
        setenv("DIST_RANKS", "threads", 1);
    if (foreign_rank >= 0) {
        set_number("RANK", (unsigned long)foreign_rank);
        set_number("WORLD_SIZE", (unsigned long)now.ranks);
        set_number("MASTER_PORT", now.port);
        setenv("MASTER_ADDR", "kills", 1);
        setenv("DIST_INIT_TIMEOUT", "2", 1);
    } else if (now.how == KILL_NEWBORN || now.how == KILL_LAUNCHER) {
        raise(SIGSTOP);
    }
    _exit(getppid() == controller ? dist_spawn(program_run, now.ranks) : 1);
}

static bool is_of_job(struct result *result, pid_t pid, int status)
{
    for (int i = 0; i < 8; i++)
        if (result->job[i] == pid) {
            int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            bool ours = now.how == KILL_FOREIGN && i == now.victim;
            result->status = !ours && code > result->status ? code : result->status;
            result->left--;
            return true;
        }
    return false;
}

/* Until all that was started has ended, the grandchildren too, of which we are the reaper. */
static bool all_end(struct result *result, double limit)
{
    double begun = dist_time();
    for (int status; dist_time() - begun < limit;) {
        pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
        if (pid < 0 && errno == ECHILD)
            return true;
        if (pid > 0 && WIFSTOPPED(status) && now.how != TERM_WHILE_STOPPED)
            ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
        else if (pid > 0 && !WIFSTOPPED(status))
            is_of_job(result, pid, status);
        else if (pid == 0)
            usleep(500);
    }
    return false;
}

static void kill_rest(void)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int status; waitpid(-1, &status, WNOHANG | __WALL) >= 0;) {
        FILE *file = fopen(path, "re");
        while (file && fscanf(file, "%255s", line) == 1)
            kill((pid_t)atoi(line), SIGKILL);
        if (file)
            fclose(file);
        usleep(1000);
    }
}

const char *job_case(struct result *result)
{
    int errors[2];
    const char *wrong = NULL;
    memset(result, 0, sizeof *result - sizeof result->text);
    if (pipe2(errors, O_CLOEXEC) || pipe2(now.hello, O_CLOEXEC) || pipe2(now.go, O_CLOEXEC))
        return "no pipes";
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    result->left = now.how == KILL_FOREIGN ? now.ranks : 1;
    for (int i = 0; i < result->left; i++)
        result->job[i] = start_process(errors[1], now.how == KILL_FOREIGN ? i : -1);
    close(errors[1]);
    close(now.hello[1]);
    stop_and_kill(result);
    if (!all_end(result, now.how == TERM_WHILE_STOPPED ? SOON : IN_TIME)) {
        wrong = "it does not end";
        kill_rest();
    }
    ssize_t size = read(errors[0], result->text, sizeof result->text - 1);
    result->text[size > 0 ? size : 0] = '\0';
    close(errors[0]);
    close(now.hello[0]);
    close(now.go[0]);
    close(now.go[1]);
    return wrong ? wrong : judge(result);
}
