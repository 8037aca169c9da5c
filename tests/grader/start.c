/*
 * start.c: run the learner's program, and be rid of all of it afterwards, whatever it did.
 *
 * It has a session of its own and dies when we die. We are its subreaper: what is orphaned becomes our child, and kin.c finds
 * and kills it. Where root grades others' files, $GRADE_USER is a number: the program runs as that user, and can neither
 * signal us nor write where we do.
 */
#define _GNU_SOURCE
#include "inside.h"
#include "../reference.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_FD 64         /* the sheets in the learner's program begin here */
#define PROCESSOR_SECONDS 3 /* for each process: an endless loop ends here, on a busy machine, too */
#define SECONDS 20          /* from start to end; $GRADE_SECONDS: teachers may want less */
#define FLOOD (32u << 20)   /* who prints more is stopped; so is who has more processes or megabytes */
#define SECONDS_AFTER 5     /* once one sitting of this file was late, the next ones get no longer */
#define MOST_PROCESSES 64
#define MEGABYTES 2048           /* of all its processes together; $GRADE_MEMORY */
#define LARGEST_FILE (96u << 20) /* also of the memory that the ranks share, whose laying out takes time */
#define LOOK 0.05                /* seconds between two looks at that */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double wanted(const char *name, double otherwise)
{
    const char *given = getenv(name);
    return given && *given ? atof(given) : otherwise;
}

/* A file beside the results remembers that a sitting was late: a program that sleeps in every test must not cost the whole
 * deadline each time. */
static const char *late_mark(char *path, size_t size)
{
    const char *folder = getenv("GRADE_OUT");
    snprintf(path, size, "%s/late_once", folder ? folder : ".");
    return path;
}

static double seconds_left(void)
{
    char path[512];
    double most = wanted("GRADE_SECONDS", SECONDS);
    return most > SECONDS_AFTER && access(late_mark(path, sizeof path), F_OK) == 0 ? SECONDS_AFTER : most;
}

static void remember_late(void)
{
    char path[512];
    int fd = open(late_mark(path, sizeof path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

/* Files as the program expects them: nothing to read, pipes to write into, its sheets, and none of ours. */
static void set_files(int ranks, const int *out, const int *error)
{
    for (int fd = 3; fd < 1024; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(out[1], 1);
    dup2(error[1], 2);
    for (int rank = 0; rank < ranks; rank++) {
        dup2(given_sheets[rank].fd, FIRST_FD + 2 * rank);
        dup2(handed_sheets[rank].fd, FIRST_FD + 2 * rank + 1);
    }
}

/* Where memory runs out the system shall take it from this program, not from us. */
static void set_limits(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "1000", 4) == 4)
        close(fd);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ LARGEST_FILE, LARGEST_FILE });
    setrlimit(RLIMIT_CPU, &(struct rlimit){ PROCESSOR_SECONDS, PROCESSOR_SECONDS + 3 });
}

/* The user to run it as; 0: as we are. */
static uid_t other_user(void)
{
    return (uid_t)wanted("GRADE_USER", 0);
}

static void become_other_user(void)
{
    uid_t user = other_user();
    if (user != 0 &&
        (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0))
        _exit(125);
}

/* An empty file for what it writes down. Another user can write into it, but not take it away. */
static void lay_out(const char *trace)
{
    unlink(trace);
    int fd = other_user() != 0 ? open(trace, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && fchown(fd, other_user(), other_user()) != 0)
        abort();
    if (fd >= 0)
        close(fd);
}

/* What decides on the delays must tell nothing of the numbers. */
static unsigned seed_of_delays(uint64_t seed)
{
    uint64_t state = seed ^ 0x6465736b6c617465u;
    ref_random(&state);
    return (unsigned)(ref_random(&state) >> 40);
}

/* Nothing of our environment goes in but what is said here. Another user cannot put a report beside our files. */
static void become(const char *program, int ranks, uint64_t seed, const char *trace)
{
    char words[6][PATH_SIZE + 32], report[PATH_SIZE];
    char *environment[7] = { NULL };
    snprintf(words[0], sizeof words[0], "WORLD_SIZE=%d", ranks);
    snprintf(words[1], sizeof words[1], "DIST_TRACE=%s", trace);
    snprintf(words[2], sizeof words[2], "DIST_CHECK=1");
    snprintf(words[3], sizeof words[3], SHEET_FD "=%d", FIRST_FD);
    snprintf(words[4], sizeof words[4], SHEET_LATE "=%u", seed_of_delays(seed));
    snprintf(words[5], sizeof words[5], "DIST_REPORT=%s", out_path("report.json", report, sizeof report));
    for (int i = 0; i < (other_user() != 0 ? 5 : 6); i++)
        environment[i] = words[i];
    execve(program, (char *[]){ "your-program", NULL }, environment);
    _exit(127);
}

static pid_t start(const char *program, int ranks, uint64_t seed, const char *trace, const int *out,
                   const int *error)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    setsid();
    set_files(ranks, out, error);
    set_limits();
    become_other_user();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* who becomes another user loses this, so only now */
    if (getppid() != parent)
        _exit(126);
    become(program, ranks, seed, trace);
    _exit(127);
}

/* Keeps what fits and counts all. False: the other side is closed. */
static bool take(int fd, char *text, size_t *total)
{
    char bytes[16384];
    ssize_t got = read(fd, bytes, sizeof bytes);
    if (got <= 0)
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    said_add(text, bytes, (size_t)got);
    *total += (size_t)got;
    return true;
}

/* Take what there is. */
static void take_all(struct pollfd *pipes, int wait, struct ending *ending, size_t *total)
{
    poll(pipes, 2, wait);
    for (int i = 0; i < 2; i++)
        if (pipes[i].revents && !take(pipes[i].fd, i ? ending->error : ending->out, total))
            pipes[i] = (struct pollfd){ .fd = -1 };
}

/* More than any exercise needs? Says of what. */
static bool too_much(size_t printed, struct ending *ending)
{
    int64_t most = (int64_t)(wanted("GRADE_MEMORY", MEGABYTES) * (1 << 20));
    struct kin_load load = kin_look();
    char *why = ending->stopped;
    ending->computed = load.running ? ending->computed + 1 : 0;
    if (printed > FLOOD)
        snprintf(why, sizeof ending->stopped, "It printed without an end, more than %u MB,", FLOOD >> 20);
    else if (load.processes > MOST_PROCESSES)
        snprintf(why, sizeof ending->stopped, "It started more and more processes, over %d,", MOST_PROCESSES);
    else if (load.bytes > most)
        snprintf(why, sizeof ending->stopped, "It took more and more memory, over %lld MB,",
                 (long long)(most >> 20));
    return *why;
}

/* Read what it says until it has ended. A process of it that lives on may hold the pipes open: that counts for nothing.
 * True: before the deadline. Where we were not run either (a machine that sleeps, or has too much to do) no time has passed. */
static bool watch(pid_t pid, int out, int error, struct ending *ending, int *status)
{
    double left = seconds_left(), look = now();
    struct pollfd pipes[2] = { { out, POLLIN, 0 }, { error, POLLIN, 0 } };
    for (size_t total = 0; left > 0;) {
        take_all(pipes, pipes[0].fd >= 0 || pipes[1].fd >= 0 ? 20 : 1, ending, &total);
        if (waitpid(pid, status, WNOHANG) == pid) {
            take_all(pipes, 0, ending, &total);
            return true;
        }
        double passed = now() - look;
        if (passed > LOOK && too_much(total, ending))
            return false;
        left -= passed < LOOK ? 0 : passed < 4 * LOOK ? passed : 4 * LOOK;
        look += passed < LOOK ? 0 : passed;
    }
    return false;
}

void start_and_end(const char *program, int ranks, uint64_t seed, const char *trace, struct ending *ending)
{
    int out[2], error[2], status = 0;
    double begin = now();
    *ending = (struct ending){ .status = -1 };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
        abort();
    lay_out(trace);
    fflush(NULL);
    pid_t pid = start(program, ranks, seed, trace, out, error);
    close(out[1]);
    close(error[1]);
    ending->late = pid < 0 || !watch(pid, out[0], error[0], ending, &status);
    if (ending->late && !ending->stopped[0])
        where_ask(ranks);
    kin_kill();
    close(out[0]);
    close(error[0]);
    ending->seconds = now() - begin;
    if (ending->late)
        remember_late();
    else
        ending->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
