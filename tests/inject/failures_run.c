/* failures_run.c: one run of one program: a folder of its own, its environment, its output, whatever it leaves. */
#define _GNU_SOURCE
#include "failures.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 10 /* that a run may take */

struct ledger *ledger;
static char folder[] = "/tmp/failures-XXXXXX", library[4096];

static void remove_folder(void)
{
    char path[100];
    snprintf(path, sizeof path, "%s/ledger", folder);
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    char path[100];
    if (ledger)
        return;
    if (!mkdtemp(folder) || !realpath("build/tests/inject/libinject.so", library)) {
        perror("failures");
        exit(2);
    }
    atexit(remove_folder);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that nothing ends unseen */
    snprintf(path, sizeof path, "%s/ledger", folder);
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *ledger) != 0)
        exit(2);
    ledger = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* @ stands for the folder. */
static char *expand(const char *text)
{
    char *all = malloc(4096);
    const char *at = strchr(text, '@');
    int before = at ? (int)(at - text) : (int)strlen(text);
    snprintf(all, 4096, "%.*s%s%s", before, text, at ? folder : "", at ? at + 1 : "");
    return all;
}

static void become(const struct run *run, const int out[2])
{
    char *arguments[WORDS + 1] = { NULL };
    for (int i = 0; i < WORDS && run->subject->arguments[i]; i++)
        arguments[i] = expand(run->subject->arguments[i]);
    for (int i = 0; i < WORDS && run->subject->environment[i]; i++)
        putenv(expand(run->subject->environment[i]));
    setenv("TMPDIR", folder, 1);
    setenv("MALLOC_PERTURB_", "165", 1);
    setenv("INJECT_LEDGER", expand("@/ledger"), 1);
    setenv("INJECT_IN", run->subject->program, 1);
    if (run->inject[0])
        setenv("INJECT", run->inject, 1);
    setenv("LD_PRELOAD", library, 1);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out[0], 1);
    dup2(out[1], 2);
    setpgid(0, 0);
    execv(arguments[0], arguments);
    _exit(127);
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait for it, and for whoever it left: a moment. */
static void wait_for(struct run *run, pid_t pid)
{
    int64_t end = milliseconds() + SECONDS * 1000;
    bool ended = false;
    for (;;) {
        int status;
        pid_t one = waitpid(-1, &status, WNOHANG);
        if (one < 0 && ended)
            return;
        if (one == pid) {
            run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            ended = true;
            end = milliseconds() + 3000;
        }
        if (one == 0 && milliseconds() > end) {
            run->late = !ended;
            run->orphans = ended;
            kill(-pid, SIGKILL);
            while (waitpid(-1, NULL, 0) > 0)
                ;
            return;
        }
        if (one == 0)
            usleep(1000);
    }
}

static void read_end(int fd, char *text)
{
    struct stat status;
    off_t from =
        fstat(fd, &status) == 0 && status.st_size >= OUTPUT_BYTES ? status.st_size - OUTPUT_BYTES + 1 : 0;
    ssize_t size = pread(fd, text, OUTPUT_BYTES - 1, from);
    text[size > 0 ? size : 0] = '\0';
    close(fd);
}

static void tell_left(struct run *run, const char *name)
{
    size_t used = strlen(run->left);
    snprintf(run->left + used, sizeof run->left - used, " %s", name);
}

/* Take the file, and remove all others; those that may be left are drawings. */
static void clean(struct run *run)
{
    char path[600];
    DIR *all = opendir(folder);
    for (struct dirent *one; all && (one = readdir(all));) {
        const char *name = one->d_name;
        if (name[0] == '.' || strcmp(name, "ledger") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (run->subject->file && strcmp(name, run->subject->file) == 0) {
            run->has_file = true;
            read_end(open(path, O_RDONLY), run->file);
        } else if (strcmp(name, "report.dot") != 0 && strcmp(name, "report.svg") != 0) {
            tell_left(run, name);
        }
        unlink(path);
    }
    if (all)
        closedir(all);
}

void run_once(struct run *run, const struct subject *subject, const char *inject)
{
    make_folder();
    memset(ledger, 0, sizeof *ledger);
    *run = (struct run){ .subject = subject };
    snprintf(run->inject, sizeof run->inject, "%s", inject);
    int out[2] = { memfd_create("out", MFD_CLOEXEC), memfd_create("error", MFD_CLOEXEC) };
    /* Two processes write: the kernel does not lock the offset of a memfd, so that one would write over the other's line. */
    fcntl(out[0], F_SETFL, O_APPEND);
    fcntl(out[1], F_SETFL, O_APPEND);
    pid_t pid = fork();
    if (pid == 0)
        become(run, out);
    wait_for(run, pid);
    read_end(out[0], run->out);
    read_end(out[1], run->error);
    clean(run);
}
