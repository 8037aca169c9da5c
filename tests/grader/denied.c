/*
 * denied.c: what a confined rank asks of the system in vain. Nothing of it is done, whoever asks: the filter (confine.c) sees to that, and
 * sends SIGSYS. Here it is told apart who has asked.
 *
 * The library and C's library look at a few files late: how many threads a rank has, before a poller is told that all others wait; how
 * much memory there is; where the clocks go by. And one command is started for the line in which a buffer was touched. Each of them knows
 * what to do without, and so is told that it may not. Who asks for anything else is the learner's file, and the rank dies of the signal: sit.c
 * says so. (A handler of the learner's own could hide that; it would still get nothing.)
 */
#define _GNU_SOURCE
#include "desk.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* Files that are only looked at, by whom. */
static const char *const looked_at[] = {
    "/proc/*/task",                   /* diagnose/tasks.c */
    "/proc/*/task/*/comm",            /* the same */
    "/proc/self/status",              /* diagnose/fault.c */
    "/proc/meminfo",                  /* devices/host.c, and C's library for qsort */
    "/proc/sys/vm/overcommit_memory", /* C's library: memory that a thread gives back */
    "/sys/devices/system/cpu*",       /* C's library: how many processors */
    "/sys/bus/pci/devices*",          /* devices/devices.c */
    "/dev/nvidia*",                   /* the same */
    "/dev/dxg",                       /* the same */
    "/etc/localtime",                 /* C's library: strftime */
    "/usr/share/zoneinfo*",           /* the same */
};

#if defined(__x86_64__)
enum { RESULT = REG_RAX, FIRST = REG_RDI, SECOND = REG_RSI };
#define REGISTER(context, n) (((ucontext_t *)(context))->uc_mcontext.gregs[n])
#elif defined(__aarch64__)
enum { RESULT, FIRST = 0, SECOND };
#define REGISTER(context, n) (((ucontext_t *)(context))->uc_mcontext.regs[n])
#else
enum { RESULT, FIRST, SECOND };
#define REGISTER(context, n) (*(long *)((void)(n), (context))) /* no filter, no signal */
#endif

/* The path that a call asks for; NULL: it asks for none. */
static const char *denied_path(int call, void *context)
{
    switch (call) {
#ifdef __NR_open
    case __NR_open:
    case __NR_access:
        return (const char *)(uintptr_t)REGISTER(context, FIRST);
#endif
    case __NR_openat:
    case __NR_faccessat:
        return (const char *)(uintptr_t)REGISTER(context, SECOND);
    default:
        return NULL;
    }
}

static bool denied_is_looked_at(const char *path)
{
    bool found = false;
    for (size_t i = 0; path && i < sizeof looked_at / sizeof *looked_at; i++)
        found = found || fnmatch(looked_at[i], path, FNM_PATHNAME) == 0;
    return found;
}

/* Counts the frames that a signal has interrupted: their address is exact, not behind a call. */
static _Unwind_Reason_Code denied_count_signals(struct _Unwind_Context *frame, void *count)
{
    int exact = 0;
    _Unwind_GetIPInfo(frame, &exact);
    *(int *)count += exact != 0;
    return _URC_NO_REASON;
}

/* Does the library want to know the line in which a buffer was touched (diagnose/where.c)? It starts a process within the handler of a
 * fault, so that SIGSYS is the second signal on the stack. The grader finds the line out, as where.c of its own does. */
static bool denied_is_for_a_line(int call)
{
    int signals = 0;
    if (call == __NR_clone)
        _Unwind_Backtrace(denied_count_signals, &signals);
    if (signals > 1)
        desk_stand();
    return signals > 1;
}

static void denied_tell(int number, siginfo_t *info, void *context)
{
    int error = errno;
    (void)number;
    if (denied_is_looked_at(denied_path(info->si_syscall, context)) || denied_is_for_a_line(info->si_syscall))
        REGISTER(context, RESULT) = -EACCES;
    else /* this is denied, too; and within this handler it is the end */
        (void)syscall(__NR_kill, getpid(), SIGSYS);
    errno = error;
}

void desk_denied_begin(void)
{
    struct sigaction action = { .sa_sigaction = denied_tell, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigaction(SIGSYS, &action, NULL);
}
