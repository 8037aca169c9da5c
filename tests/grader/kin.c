/*
 * kin.c: all processes that come from us, however they have left their session or lost their parent: we are their subreaper,
 * so each has us above it. They are counted and weighed while the learner's program runs, and killed when it is over.
 *
 * Who is stopped keeps its place but starts no more. So all are stopped first, again and again until no new one shows up,
 * and only then killed: killing a fork bomb piece by piece would be a race.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_KIN 4096

static struct {
    pid_t pid[MOST_KIN];
    int count;
} kin;

static bool known(pid_t pid)
{
    for (int i = 0; i < kin.count; i++)
        if (kin.pid[i] == pid)
            return true;
    return false;
}

/* The children that one thread has started, as the kernel lists them. */
static void add_listed(const char *path)
{
    FILE *file = fopen(path, "re");
    int pid;
    while (file && fscanf(file, "%d", &pid) == 1)
        if (kin.count < MOST_KIN && !known(pid))
            kin.pid[kin.count++] = pid;
    if (file)
        fclose(file);
}

static void add_children(pid_t parent)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *threads = opendir(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        if (thread->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)parent, thread->d_name);
        add_listed(path);
    }
    if (threads)
        closedir(threads);
}

static void find_all(void)
{
    add_children(getpid());
    for (int i = 0; i < kin.count; i++)
        add_children(kin.pid[i]);
}

/* Memory of its own, and memory that it shares, in bytes. */
static void weigh(pid_t pid, int64_t *own, int64_t *shared)
{
    char path[64];
    long resident = 0, with_others = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%*d %ld %ld", &resident, &with_others) == 2) {
        long page = sysconf(_SC_PAGESIZE);
        *own += (int64_t)(resident - with_others) * page;
        *shared = (int64_t)with_others * page > *shared ? (int64_t)with_others * page : *shared;
    }
    if (file)
        fclose(file);
}

/* It computes, or would if it had a core: on a busy machine, too. */
static bool is_running(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    bool read = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    if (file)
        fclose(file);
    return read && state == 'R';
}

/* What all share is counted once: as much of it as one of them has. */
struct kin_load kin_look(void)
{
    struct kin_load load = { 0 };
    int64_t own = 0, shared = 0;
    kin.count = 0;
    find_all();
    for (int i = 0; i < kin.count; i++) {
        weigh(kin.pid[i], &own, &shared);
        load.running |= is_running(kin.pid[i]);
    }
    load.bytes = own + shared;
    load.processes = kin.count;
    return load;
}

void kin_signal(int signal)
{
    kin.count = 0;
    find_all();
    for (int i = 0; i < kin.count; i++)
        kill(kin.pid[i], signal);
}

/* A signal arrives a little later than it was sent, so one look more than seems to be needed. */
static void stop_all(void)
{
    int stopped = kin.count = 0;
    for (int quiet = 0; quiet < 2; quiet++) {
        find_all();
        for (; stopped < kin.count; quiet = 0)
            kill(kin.pid[stopped++], SIGSTOP);
    }
}

void kin_kill(void)
{
    for (int tries = 0; tries < 5000; tries++) {
        stop_all();
        for (int i = 0; i < kin.count; i++)
            kill(kin.pid[i], SIGKILL);
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (gone < 0 && errno == ECHILD)
            return;
        usleep(1000);
    }
}
