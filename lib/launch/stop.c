/*
 * stop.c: signals: those that the watcher takes, and those by which it ends the ranks when the job has failed: first let them end by
 * themselves, then ask, then make them.
 */
#define _GNU_SOURCE
#include "job.h"

#include <signal.h>
#include <sys/signalfd.h>

/* Ranks in a dist call see the failure at once and end by themselves; these are for the others. */
#define ASK_AFTER 300  /* ms until SIGTERM */
#define MAKE_AFTER 700 /* ms until SIGKILL */
#define TELL_LOOK \
    20 /* ms between two looks whether a rank has told: none counts for more, as one on a busy machine would */

/* ---- the watcher's own, and the names of all ------------------------------------------------------------- */

/* A signal that is ignored (nohup, a background job) stays ignored. */
static void stop_take_unless_ignored(sigset_t *taken, int number)
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
    stop_take_unless_ignored(&taken, SIGINT);
    stop_take_unless_ignored(&taken, SIGTERM);
    stop_take_unless_ignored(&taken, SIGHUP);
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
    static const char *const names[] = {
        [SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",     [SIGILL] = "SIGILL",
        [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS",       [SIGFPE] = "SIGFPE",
        [SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV",     [SIGUSR2] = "SIGUSR2",
        [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",     [SIGXCPU] = "SIGXCPU",
        [SIGXFSZ] = "SIGXFSZ", [SIGSYS] = "SIGSYS",   [SIGVTALRM] = "SIGVTALRM",
    };
    bool known = number > 0 && number < (int)(sizeof names / sizeof names[0]) && names[number];
    return known ? names[number] : "no name";
}

/* ---- the ranks' end ---------------------------------------------------------------------------------------- */

int64_t job_clock(void)
{
    return launch_clock_ns() / 1000000;
}

void job_signal_all(const struct job *job, int number)
{
    for (int i = 0; i < job->processes; i++)
        if (job->ranks[i].pid > 0)
            kill(job->ranks[i].pid, number);
}

void job_note_rank(struct job *job, int rank)
{
    const struct rank_slot *slot = &job->world.header->slots[rank];
    const struct rank_notes *notes = world_notes(&job->world, rank);
    const struct site *site = world_site_at(&job->world, rank, notes->host_site);
    uint32_t now = atomic_load(&slot->call), last = atomic_load(&slot->last_call);
    bool awaits_gpu = now == 0 && notes->host_call[0];
    job->ranks[rank].called = last != 0;
    job->ranks[rank].place = awaits_gpu ? words_of("%s (%s:%d)", notes->host_call, site->file, site->line)
                                        : launch_describe_word(&job->world, rank, now, last);
}

void job_stop_begin(struct job *job)
{
    job->stopping = true;
    job->stop_began = job_clock();
    for (int rank = 0; rank < job->plan.size; rank++)
        job_note_rank(job, rank);
    if (job->interrupt)
        job_signal_all(job, job->interrupt);
}

/* Were it ended between its sentence and the word that it has told, the job's end would be told twice. */
static bool stop_lets_tell(struct job *job)
{
    bool told;
    int64_t now = job_clock(), passed = now - job->let_tell_seen;
    int teller = world_teller(&job->world, &told), process = job->plan.threads ? 0 : teller;
    job->let_tell += passed < TELL_LOOK ? passed : TELL_LOOK;
    job->let_tell_seen = now;
    return !told && teller >= 0 && process < job->processes && job->ranks[process].pid > 0 &&
           !job->interrupt && job->let_tell < LAUNCH_TELL_MS;
}

int job_stop_step(struct job *job)
{
    int64_t passed = job_clock() - job->stop_began;
    if (passed >= ASK_AFTER && stop_lets_tell(job))
        return TELL_LOOK;
    if (passed >= MAKE_AFTER && job->stop_step != SIGKILL) {
        job->stop_step = SIGKILL;
        job_signal_all(job, SIGKILL);
    } else if (passed >= ASK_AFTER && job->stop_step == 0) {
        job->stop_step = SIGTERM;
        job_signal_all(job, SIGTERM);
    }
    int64_t next = job->stop_step == 0 ? ASK_AFTER : MAKE_AFTER;
    return next > passed ? (int)(next - passed) : 100;
}
