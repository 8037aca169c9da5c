#define _GNU_SOURCE
#include "started.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Beside this suite, so that a suite with sanitizers starts programs with sanitizers; else in the usual place. */
const char *program_path(const char *name, char *path, size_t size)
{
    char suite[512];
    ssize_t length = readlink("/proc/self/exe", suite, sizeof suite - 1);
    suite[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(suite, '/');
    snprintf(path, size, "%.*s/programs/%s", slash ? (int)(slash - suite) : 0, suite, name);
    if (access(path, X_OK) != 0)
        snprintf(path, size, "build/tests/programs/%s", name);
    if (access(path, X_OK) != 0)
        snprintf(path, size, "%s", name);
    return path;
}

/* The launchers under which the tests themselves may run are none of the program's business. */
static void set_environment(const char *const *settings)
{
    static const char *const ours[] = { "RANK", "WORLD_SIZE", "DIST_RANKS", "DIST_OUTPUT", "DIST_WORLD_FD" };
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        unsetenv(ours[i]);
    putenv("ASAN_OPTIONS=handle_segv=0"); /* a crash shall be the signal that it is */
    for (; settings && *settings; settings++)
        putenv((char *)*settings);
}

static void become(const char *const *settings, const char *const *words)
{
    char path[600];
    const char *copy[16] = { NULL };
    for (int i = 0; i < 15 && words[i]; i++)
        copy[i] = words[i];
    set_environment(settings);
    copy[0] = program_path(words[0], path, sizeof path);
    execvp(copy[0], (char *const *)copy);
    _exit(127);
}

void started_begin(struct started *started, const char *const *settings, const char *const *words)
{
    int out[2], error[2];
    pid_t parent = getpid();
    memset(started, 0, sizeof *started);
    started->seconds = seconds_now();
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
        abort();
    fflush(NULL);
    started->pid = fork();
    if (started->pid == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(126);
        int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, 0);
        dup2(out[1], 1);
        dup2(error[1], 2);
        become(settings, words);
    }
    close(out[1]);
    close(error[1]);
    started->out = out[0];
    started->error = error[0];
}

/* Keeps what fits, reads the rest too: a program must not block on us. */
static void take(int *fd, char *text, size_t size)
{
    char beyond[4096];
    size_t used = strlen(text), room = size - 1 - used;
    ssize_t got = room > 0 ? read(*fd, text + used, room) : read(*fd, beyond, sizeof beyond);
    if (got > 0 && room > 0)
        text[used + (size_t)got] = '\0';
    if (got == 0 || (got < 0 && errno != EINTR)) {
        close(*fd);
        *fd = -1;
    }
}

/* A report is broken at 80 columns, and goes on with two blanks, behind the rank's number if there is one. */
static void join_lines(char *said)
{
    for (char *at = said; (at = strchr(at, '\n'));) {
        char *rest = at + 1, *prefix_end = strstr(rest, "] ");
        if (*rest == '[' && prefix_end)
            rest = prefix_end + 2;
        bool goes_on = strncmp(rest, "  ", 2) == 0;
        if (goes_on)
            memmove(at + 1, rest + 2, strlen(rest + 2) + 1);
        *at++ = goes_on ? ' ' : '\n';
    }
}

void started_end(struct started *started, double seconds)
{
    double deadline = seconds_now() + seconds;
    int status = 0;
    bool killed = false;
    while (started->out >= 0 || started->error >= 0) {
        struct pollfd pipes[2] = { { started->out, POLLIN, 0 }, { started->error, POLLIN, 0 } };
        if (!killed && seconds_now() > deadline) {
            kill(-started->pid, SIGKILL);
            killed = true;
        }
        poll(pipes, 2, 50);
        if (pipes[0].revents)
            take(&started->out, started->stdout_text, sizeof started->stdout_text);
        if (pipes[1].revents)
            take(&started->error, started->stderr_text, sizeof started->stderr_text);
        if (killed && seconds_now() > deadline + 2)
            break;
    }
    waitpid(started->pid, &status, 0);
    memcpy(started->stderr_raw, started->stderr_text, sizeof started->stderr_raw);
    join_lines(started->stderr_text);
    started->seconds = seconds_now() - started->seconds;
    started->status = killed ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void started_run(struct started *started, const char *const *settings, const char *const *words)
{
    started_begin(started, settings, words);
    started_end(started, 60);
}

const struct mpi open_mpi = { "openmpi", "openmpi-bin libopenmpi-dev",
                              "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none "
                              "--mca mpi_yield_when_idle 1" },
                 mpich = { "mpich", "mpich libmpich-dev", "mpirun.mpich" };

bool mpi_is_here(const struct mpi *mpi)
{
    char path[80];
    snprintf(path, sizeof path, "build/plugins/dist-%s.so", mpi->name);
    if (access(path, R_OK) == 0)
        return true;
    printf("skipped: BACKEND=mpi over %s: install %s\n", mpi->name, mpi->package);
    return false;
}

void started_by_mpirun(struct started *started, const struct mpi *mpi, int ranks, const char *const *settings,
                       const char *command, double seconds)
{
    char line[1200];
    snprintf(line, sizeof line, "exec %s -n %d %s", mpi->mpirun, ranks, command);
    started_begin(started, settings, (const char *const[]){ "sh", "-c", line, NULL });
    started_end(started, seconds);
}

static bool has_argument(const char *pid, const char *tag)
{
    char path[300], words[4096];
    snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
    int fd = open(path, O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, words, sizeof words) : -1;
    if (fd >= 0)
        close(fd);
    return size > 0 && memmem(words, (size_t)size, tag, strlen(tag)) != NULL;
}

int processes_with(const char *tag)
{
    int count = 0;
    DIR *directory = opendir("/proc");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count += has_argument(entry->d_name, tag);
    if (directory)
        closedir(directory);
    return count;
}
