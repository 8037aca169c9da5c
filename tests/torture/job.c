/* job.c: a job in a session of its own, so that whatever is left of it can be found; and what happens to it from outside. */
#define _GNU_SOURCE
#include "torture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE 30.0 /* seconds for a job, which needs parts of one */
#define REST 5.0      /* seconds for its ranks once the launcher has ended */

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
}

static void set_environment(const struct job *job)
{
    static const char *const ours[] = { "RANK",           "WORLD_SIZE",     "LOCAL_RANK",  "DIST_OUTPUT",
                                        "DIST_WORLD_FD",  "DIST_TRACE",     "DIST_REPORT", "DIST_CHECK",
                                        "DIST_BUFFERING", "DIST_ALGORITHM", "DIST_RANKS",  "DEVICE",
                                        "BACKEND" };
    const struct plan *plan = &job->plan;
    char eager[40], trace[260], report[260];
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    snprintf(eager, sizeof eager, "eager:%d", plan->eager);
    snprintf(trace, sizeof trace, "%s/%s", job->folder,
             plan->fault == FULL_DISK ? "full/trace.json" : "trace.json");
    if (plan->fault == FULL_DISK && !job->small_disk)
        snprintf(trace, sizeof trace, "/dev/full");
    snprintf(report, sizeof report, "%s/report.json", job->folder);
    set("TMPDIR", job->folder);
    set("DIST_RANKS", plan->threads ? "threads" : "processes");
    set("DEVICE", plan->sim ? "sim" : NULL);
    set("BACKEND", plan->room ? "cuda" : NULL);
    set("DIST_CHECK", plan->check ? "1" : NULL);
    set("DIST_TRACE", plan->trace ? trace : NULL);
    set("DIST_REPORT", plan->report ? report : NULL);
    set("DIST_BUFFERING", plan->eager ? eager : NULL);
    set("DIST_ALGORITHM", plan->algorithm);
}

/* What is wrong from the start, for the launcher or for all. */
static void break_early(struct job *job)
{
    const struct plan *plan = &job->plan;
    struct rlimit limit = { (rlim_t)plan->limit, (rlim_t)plan->limit };
    bool early = plan->victim == LAUNCHER || plan->at_step == 0;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (plan->victim == LAUNCHER &&
        (plan->fault == NO_MEMORY || plan->fault == NO_FILES || plan->fault == NO_THREADS))
        broken_begin(job->board, plan->fault, plan->nth, plan->limit, true);
    if (early && plan->fault == FEW_FILES)
        setrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max = (rlim_t)plan->limit << 20;
    if (early && plan->fault == NO_SPACE)
        setrlimit(RLIMIT_AS, &limit);
    if (early && (plan->fault == NO_SPACE || plan->fault == FEW_FILES))
        atomic_store(&job->board->struck, 1);
}

static _Noreturn void be_the_job(struct job *job, pid_t parent)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    if (getppid() != parent)
        _exit(98);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, 0);
    dup2(job->said_fd, 1);
    dup2(job->said_fd, 2);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    set_environment(job);
    program_start(&job->plan, job->board);
    break_early(job);
    _exit(dist_spawn(program_run, job->plan.ranks));
}

void job_begin(struct job *job, uint64_t seed, int only_fault)
{
    plan_make(&job->plan, seed, only_fault);
    job->sent = job->over = job->late = false;
    job->stopped = 0;
    job->wrong[0] = job->said[0] = '\0';
    memset((void *)job->board, 0, sizeof *job->board);
    job->said_fd = memfd_create("said", MFD_CLOEXEC);
    fcntl(job->said_fd, F_SETFL, O_APPEND); /* several write, and the kernel locks no offset of a memfd */
    mkdir(job->folder, 0700);
    fflush(NULL);
    pid_t parent = getpid();
    job->began = dist_time();
    job->pid = fork();
    if (job->pid == 0)
        be_the_job(job, parent);
    if (job->pid < 0 || job->said_fd < 0) {
        perror("torture");
        exit(2);
    }
}

/* The process that the fault is about; 0: it has not started yet. */
static pid_t victim(const struct job *job)
{
    int rank = job->plan.victim;
    return rank == LAUNCHER ? job->pid : atomic_load(&job->board->pids[rank]);
}

static void signal_victim(struct job *job, int number)
{
    pid_t pid = victim(job);
    if (pid > 0 && getsid(pid) == job->pid && kill(pid, number) == 0)
        atomic_store(&job->board->struck, 1);
}

static int number_of(enum fault fault)
{
    return fault == STOPPED       ? SIGSTOP
           : fault == TERMINATED  ? SIGTERM
           : fault == INTERRUPTED ? SIGINT
                                  : SIGKILL;
}

double job_poke(struct job *job, double now)
{
    const struct plan *plan = &job->plan;
    bool signals = plan->fault >= STOPPED && plan->fault <= INTERRUPTED;
    double due = job->began + plan->delay * 1e-6, left = 1;
    if (waitpid(job->pid, &job->status, WNOHANG) != 0)
        job->over = true;
    if (job->over)
        return 0;
    if (signals && plan->timed && !job->sent && now < due)
        left = due - now;
    else if (signals && plan->timed && !job->sent && victim(job) == 0)
        left = 0.001;
    else if (signals && plan->timed && !job->sent) {
        job->sent = true;
        signal_victim(job, number_of(plan->fault));
    }
    if (plan->fault == STOPPED && atomic_load(&job->board->struck)) {
        job->stopped = job->stopped > 0 ? job->stopped : now;
        if (now - job->stopped > plan->pause * 1e-3 + plan->delay * 1e-6)
            signal_victim(job, SIGCONT); /* again and again: it may be stopped only now */
        left = 0.02;
    }
    if (now - job->began > DEADLINE) {
        job->late = true;
        kill(-job->pid, SIGKILL);
    }
    return left;
}

/* Whatever is left of it now is too much. */
void job_end(struct job *job)
{
    double until = dist_time() + REST;
    while (waitpid(-job->pid, NULL, WNOHANG) >= 0 && dist_time() < until) /* its orphans are our children */
        usleep(500);
    bool left = kill(-job->pid, SIGKILL) == 0;
    ssize_t got = pread(job->said_fd, job->said, sizeof job->said - 1, 0);
    job->said[got > 0 ? got : 0] = '\0';
    close(job->said_fd);
    judge(job);
    if (left && !job->late)
        snprintf(job->wrong, sizeof job->wrong, "a process was left when the launcher had ended");
    job->pid = 0;
}
