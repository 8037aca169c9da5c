/* main.c: torture SECONDS [JOBS]: so long, so many jobs at a time. SEED=n in the environment: only that one, FAULT=n: only that kind. */
#define _GNU_SOURCE
#include "torture.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_JOBS 16
#define SMALL "size=8k"

/* What was done, by kind of fault. */
struct counts {
    long jobs[FAULTS], struck[FAULTS], wrong[FAULTS];
    double slowest[FAULTS];
    uint64_t operations; /* of jobs without a fault */
};

static struct counts counts;
static volatile sig_atomic_t stop;

static void on_interrupt(int number)
{
    (void)number;
    stop = 1;
}

/* The disk is seen by us and our children alone, and goes when we go. */
static bool small_disk(const char *folder)
{
    char path[260];
    snprintf(path, sizeof path, "%s/full", folder);
    mkdir(path, 0700);
    return mount("torture", path, "tmpfs", 0, SMALL) == 0;
}

static void prepare(struct job *jobs, int count)
{
    char here[120];
    bool own_disks = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    if (!getcwd(here, sizeof here))
        exit(2);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    mkdir("build/torture", 0700);
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct job){ .number = i };
        snprintf(jobs[i].folder, sizeof jobs[i].folder, "%s/build/torture/%d.%d", here, (int)getpid(), i);
        mkdir(jobs[i].folder, 0700);
        jobs[i].small_disk = own_disks && small_disk(jobs[i].folder);
        jobs[i].board =
            mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (jobs[i].board == MAP_FAILED)
            exit(2);
    }
}

static void tidy(struct job *jobs, int count)
{
    char path[260];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/full", jobs[i].folder);
        umount(path);
        rmdir(path);
        rmdir(jobs[i].folder);
    }
}

/* How many names the library could have left where memory is shared. */
static int shared_names(void)
{
    int count = 0;
    DIR *all = opendir("/dev/shm");
    for (struct dirent *entry; all && (entry = readdir(all));)
        count += strstr(entry->d_name, "dist") != NULL;
    if (all)
        closedir(all);
    return count;
}

static void count_job(const struct job *job)
{
    enum fault fault = job->plan.fault;
    double took = dist_time() - job->began;
    counts.jobs[fault]++;
    counts.struck[fault] += atomic_load(&job->board->struck) != 0;
    counts.wrong[fault] += job->wrong[0] != '\0';
    counts.slowest[fault] = took > counts.slowest[fault] ? took : counts.slowest[fault];
    if (fault == NO_FAULT)
        counts.operations += atomic_load(&job->board->operations);
}

static void tell(const struct job *job)
{
    plan_print(&job->plan);
    if (getenv("FAULT"))
        printf("  (with FAULT=%d)\n", (int)job->plan.fault);
    printf("  WRONG  %s\n", job->wrong[0] ? job->wrong : "nothing");
    for (const char *at = job->said; *at;) {
        int length = (int)strcspn(at, "\n");
        printf("    | %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    fflush(stdout);
}

static void sleep_for(double seconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = (long)(seconds * 1e9) }, NULL);
}

/* Jobs, one after the other at each place, until the time is up. Short naps: the end of a job makes no noise that could be
 * told from that of an orphan. */
static void torture(struct job *jobs, int places, double seconds, uint64_t seed, int only)
{
    double until = dist_time() + seconds;
    bool one = seconds <= 0;
    for (int busy = 1; busy > 0 || !stop;) {
        double nap = 0.002;
        busy = 0;
        for (int i = 0; i < places; i++) {
            if (jobs[i].pid == 0 && !stop)
                job_begin(&jobs[i], seed++, only);
            if (jobs[i].pid == 0)
                continue;
            double left = job_poke(&jobs[i], dist_time());
            busy++;
            stop |= one || dist_time() > until;
            nap = left < nap ? left : nap;
            if (left > 0)
                continue;
            job_end(&jobs[i]);
            count_job(&jobs[i]);
            if (one || jobs[i].wrong[0])
                tell(&jobs[i]);
            busy--;
        }
        if (nap > 0)
            sleep_for(nap);
    }
}

static long print_counts(double seconds)
{
    long jobs = 0, wrong = 0, faults = 0;
    printf("  %-28s %7s %9s %7s %9s\n", "fault", "jobs", "happened", "wrong", "slowest");
    for (int f = 0; f < FAULTS; f++) {
        printf("  %-28s %7ld %9ld %7ld %7.1f s\n", plan_fault((enum fault)f), counts.jobs[f],
               counts.struck[f], counts.wrong[f], counts.slowest[f]);
        jobs += counts.jobs[f];
        wrong += counts.wrong[f];
        faults += counts.struck[f];
    }
    printf("%ld faults in %.0f s; %llu operations without one\n", faults, seconds,
           (unsigned long long)counts.operations);
    printf("%ld passed, %ld failed\n", jobs - wrong, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    static struct job jobs[MOST_JOBS];
    const char *seed = getenv("SEED"), *fault = getenv("FAULT");
    bool one = seed && *seed;
    int places = argc > 2 ? atoi(argv[2]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    double seconds = one ? 0 : argc > 1 ? atof(argv[1]) : 60, began = dist_time();
    places = one || places < 1 ? 1 : places > MOST_JOBS ? MOST_JOBS : places;
    uint64_t first = one ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL) % 1000000 * 100000;
    int names = shared_names();
    prepare(jobs, places);
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    printf("torture: %d jobs at a time, seeds from %llu\n", places, (unsigned long long)first);
    torture(jobs, places, seconds, first, fault && *fault ? atoi(fault) : -1);
    tidy(jobs, places);
    if (shared_names() > names)
        return printf("WRONG  something was left in /dev/shm\n"), 1;
    return print_counts(dist_time() - began) != 0;
}
