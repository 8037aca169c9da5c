/*
 * dump.c: linked into each program of `make coverage`, so that no counter of a rank is lost: gcov writes them down in exit(), but
 * ranks also end by _exit(), become other programs, or are killed.
 *
 * A process that is to be killed is first asked, by a signal of ours, to write its counters down and to kill itself. One that cannot
 * (it is stopped, or is just writing) is killed a moment later, and its counters are lost; so are those of a
 * rank that the kernel kills with its launcher, or that crashes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK (SIGRTMAX - 1)
#define PATIENCE 1000 /* ms */

void __gcov_dump(void);
void __gcov_reset(void);

static long really_kill(pid_t pid, int number)
{
    return syscall(SYS_kill, pid, number);
}

static void asked(int number)
{
    (void)number;
    __gcov_dump();
    really_kill(getpid(), SIGKILL);
}

__attribute__((constructor)) static void listen_for_it(void)
{
    struct sigaction action = { .sa_handler = asked };
    sigaction(ASK, &action, NULL);
}

void _exit(int status)
{
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

/* gcov knows of exec only in GNU's C. */
int execvp(const char *file, char *const arguments[])
{
    int (*really)(const char *, char *const[]);
    *(void **)&really = dlsym(RTLD_NEXT, "execvp");
    __gcov_dump();
    __gcov_reset();
    return really(file, arguments);
}

/* What /proc says of it: the signals that it catches, and whether it still runs. */
static int ask_proc(pid_t pid, const char *field, char *value, size_t size)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *at = strstr(text, field);
    if (!at)
        return -1;
    snprintf(value, size, "%.*s", (int)strcspn(at + strlen(field), "\n"), at + strlen(field));
    return 0;
}

static int can_be_asked(pid_t pid)
{
    char caught[64];
    return pid > 0 && ask_proc(pid, "SigCgt:", caught, sizeof caught) == 0 &&
           strtoull(caught, NULL, 16) >> (ASK - 1) & 1;
}

int kill(pid_t pid, int number)
{
    char state[64];
    if (number == SIGKILL && can_be_asked(pid)) {
        really_kill(pid, ASK);
        for (int ms = 0; ms < PATIENCE && ask_proc(pid, "State:", state, sizeof state) == 0; ms++) {
            if (strpbrk(state, "ZXTt"))
                break;
            usleep(1000);
        }
    }
    return (int)really_kill(pid, number);
}
