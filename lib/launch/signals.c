/* signals.c: the watcher's signals, and the names of all. */
#define _GNU_SOURCE
#include "job.h"

#include <signal.h>
#include <sys/signalfd.h>

/* A signal that is ignored (nohup, a background job) stays ignored. */
static void signals_take_unless_ignored(sigset_t *taken, int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(taken, number);
}

/* From now on these signals are read from signals_fd. SIGCHLD gets back its default: were it ignored, the kernel
 * would throw the ranks' ends away. SIGPIPE is ignored, so that a closed terminal is an error of write(). */
bool job_signals_take(struct job *job)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, ignore = { .sa_handler = SIG_IGN };
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    signals_take_unless_ignored(&taken, SIGINT);
    signals_take_unless_ignored(&taken, SIGTERM);
    signals_take_unless_ignored(&taken, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &taken, &job->signals.mask);
    sigaction(SIGCHLD, &usual, &job->signals.child);
    sigaction(SIGPIPE, &ignore, &job->signals.pipe);
    job->signals.taken = true;
    job->signals_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    return job->signals_fd >= 0;
}

void job_signals_let_through(const struct job *job)
{
    pthread_sigmask(SIG_SETMASK, &job->signals.mask, NULL);
}

void job_signals_restore(const struct job *job)
{
    if (!job->signals.taken)
        return;
    sigaction(SIGCHLD, &job->signals.child, NULL);
    sigaction(SIGPIPE, &job->signals.pipe, NULL);
    job_signals_let_through(job);
}

const char *launch_signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        { SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },     { SIGILL, "SIGILL" },
        { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },       { SIGFPE, "SIGFPE" },
        { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" },     { SIGUSR2, "SIGUSR2" },
        { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },     { SIGXCPU, "SIGXCPU" },
        { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },   { SIGVTALRM, "SIGVTALRM" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    return "no name";
}
