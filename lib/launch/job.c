/* job.c: from "start n ranks" to the exit status of the job. */
#define _GNU_SOURCE
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two pipes a rank, with both ends open for a moment. */
static void job_raise_file_limit(struct job *job)
{
    rlim_t needed = 4 * (rlim_t)job->plan.size + 256;
    getrlimit(RLIMIT_NOFILE, &job->files_before);
    struct rlimit limit = job->files_before;
    if (limit.rlim_cur < needed)
        limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool job_open(struct job *job, const struct job_plan *plan)
{
    *job = (struct job){ .plan = *plan, .hub = true, .watcher = getpid(), .signals_fd = -1, .world.fd = -1 };
    job->processes = plan->threads ? 1 : plan->size;
    job_raise_file_limit(job);
    launch_fill_standard_files();
    job->ranks = calloc((size_t)plan->size, sizeof *job->ranks);
    bool output = output_open(&job->output, plan->size, plan->threads, plan->ordered);
    if (!output || !job->ranks || world_create(&job->world, plan->size) != 0)
        return false;
    launch_hold_watch(&job->world);
    if (plan->nodes && !control_open(job))
        return false;
    return job_signals_take(job);
}

void job_forget(struct job *job)
{
    for (int rank = 0; job->ranks && rank < job->plan.size; rank++)
        free(job->ranks[rank].snapshot.bytes);
    free(job->ranks);
    free(job->decision);
}

static void job_close(struct job *job)
{
    job_signals_restore(job);
    if (job->signals_fd >= 0)
        close(job->signals_fd);
    world_unmap(&job->world);
    output_close(&job->output);
    setrlimit(RLIMIT_NOFILE, &job->files_before);
    job_forget(job);
}

/* What only the watcher reads: a rank that runs no other program would keep it open. */
static void job_close_watchers(const struct job *job)
{
    close(job->output.events_fd);
    close(job->signals_fd);
    for (int i = 0; i < job->output.count; i++)
        if (job->output.streams[i].read_fd >= 0)
            close(job->output.streams[i].read_fd);
}

/* In a fresh child: be a rank's process and nothing else. Output goes to the pipes of `rank`. */
static void job_become_child(struct job *job, int rank)
{
    /* A rank must not outlive its watcher, whatever ends that: the kernel sees to it. It may have ended before we asked. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != job->watcher)
        _exit(128 + SIGKILL);
    job->world.author = rank;
    job_close_watchers(job);
    int channel = job->plan.threads ? job->plan.size : rank;
    const struct stream *out = &job->output.streams[2 * channel];
    dup2(out[0].write_fd, STDOUT_FILENO);
    dup2(out[1].write_fd, STDERR_FILENO);
    int null_fd = rank > 0 ? open("/dev/null", O_RDONLY) : -1;
    if (null_fd >= 0) {
        dup2(null_fd, STDIN_FILENO);
        close(null_fd);
    }
    if (!job->plan.threads) {
        close(out[0].write_fd);
        close(out[1].write_fd);
    }
    setrlimit(RLIMIT_NOFILE, &job->files_before);
    job_signals_restore(job);
}

/* What stdio holds would be printed once more by every child. */
static bool job_start_process(struct job *job, int process)
{
    pid_t pid = fork();
    if (pid < 0)
        return false;
    if (pid == 0) {
        job_become_child(job, process);
        job->plan.start(job, process);
        _exit(1);
    }
    job->ranks[process].pid = pid;
    job->alive++;
    return true;
}

static bool job_start_all(struct job *job)
{
    fflush(NULL);
    int channels = job->output.count / 2;
    bool threads = job->plan.threads;
    for (int channel = 0; channel < channels; channel++) {
        if (!threads && !world_has(&job->world, channel))
            continue;
        if (!output_make_pipes(&job->output, channel) || (!threads && !job_start_process(job, channel)))
            return false;
        if (!threads)
            output_parent_done(&job->output, channel);
    }
    if (threads && !job_start_process(job, 0))
        return false;
    for (int channel = 0; threads && channel < channels; channel++)
        output_parent_done(&job->output, channel);
    return true;
}

/* Some ranks run and others could not be started: end those that do. */
static void job_give_up(struct job *job)
{
    job_signal_all(job, SIGKILL);
    world_fail(&job->world, -1, END_ERROR, DIST_ERR_SYSTEM, "");
    if (!job->plan.nodes) /* else node 0 tells it, too */
        world_told(&job->world);
    job_watch(job);
}

/* What the system refused, and what to do: most often a limit of this shell is in the way. */
static const char *job_explain(int error)
{
    switch (error) {
    case EMFILE:
        return "no more files may be open; allow more (ulimit -n 1024), or start fewer ranks";
    case EAGAIN:
        return "the system allows no more processes; end some, allow more (ulimit -u), or start fewer ranks";
    case ENOMEM:
        return "the system gives no memory; free some, or allow more (ulimit -v)";
    case EFBIG:
        return "the memory that ranks share counts as a file, and may not be that large; allow more (ulimit "
               "-f)";
    case ENOSPC:
        return "the system refuses memory without a name (memfd_create), and /dev/shm, which would do as "
               "well, is missing, read-only or too small; allow one of them";
    default:
        return strerror(error);
    }
}

int job_look_back(const struct job *job, int result)
{
    struct why why;
    if (!job->hub)
        return result;
    if (result == 0)
        watch_calls.review(&job->world);
    int status = watch_calls.after(&job->world, job->plan.nodes, &why);
    if (status != 0)
        text_tell(why.text, TEXT_WIDTH_ALONE);
    return result == 0 ? status : result;
}

/*
 * While MPI starts, MPICH's ranks of a machine share files in /dev/shm, its own and UCX's, that have names for some milliseconds. Ranks that
 * are killed then leave them (mpich 4.0.2).
 *
 * Whose it is cannot be seen, but whether it is still somebody's: the kernel grants a lease for reading only where nobody can write to
 * the file, neither by a descriptor nor in mapped memory (fcntl(2), F_SETLEASE); and who makes it has it open from the first moment.
 */
static bool job_is_nobodys(int folder, const char *name)
{
    struct stat status;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    fcntl(fd, F_SETSIG, SIGURG); /* in place of SIGIO, which ends who does not expect it */
    bool nobodys = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                   fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    close(fd);
    return nobodys;
}

static void job_remove_leftovers(void)
{
    static const char *const made_by_mpich[] = { "mpich_shar_tmp", "ucx_shm_posix_" };
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        for (int i = 0; i < 2; i++)
            if (strncmp(entry->d_name, made_by_mpich[i], strlen(made_by_mpich[i])) == 0 &&
                job_is_nobodys(dirfd(folder), entry->d_name))
                unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

int job_run(const struct job_plan *plan, struct why *why)
{
    struct job job;
    int interrupt = 0, result = -DIST_ERR_SYSTEM;
    if (!job_open(&job, plan)) {
        why_say(why, "the job could not be set up: %s", job_explain(errno));
        control_refuse_all(plan->nodes, DIST_ERR_SYSTEM, why->text);
    } else if (!job_start_all(&job)) {
        why_say(why, "%d ranks could not be started: %s", world_has_before(&job.world, plan->size),
                job_explain(errno));
        control_refuse_all(plan->nodes, DIST_ERR_SYSTEM, why->text);
        job_give_up(&job);
    } else {
        job_watch(&job);
        job_signals_let_through(&job);
        result = job.hub ? job_verdict(&job) : control_verdict(&job);
        if (result != 0 && strcmp(launch_backend(), "mpi") == 0)
            job_remove_leftovers();
        control_bye(&job, result);
        if (plan->lost)
            *plan->lost = job_lost(&job);
        result = job_look_back(&job, result);
        interrupt = job.interrupt;
    }
    job_close(&job);
    if (interrupt)
        raise(interrupt); /* the shell shall see that the signal ended us */
    return result;
}
