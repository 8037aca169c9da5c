/* distrun.c: start any program as n ranks, and watch them: for programs without dist_spawn. */
#define _GNU_SOURCE
#include "job.h"
#include "../diagnose/diagnose.h"
#include "../trace/trace.h"
#include "../dist.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USAGE 2 /* exit status: the command line makes no sense */
#define NOT_RUNNABLE 126
#define NOT_FOUND 127

static const char help[] =
    "usage: distrun [-n RANKS] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Starts PROGRAM as RANKS processes that find each other in dist_init_process_group,\n"
    "and watches over them: when one fails, all end, and one report says why.\n"
    "Each finds its place in RANK, WORLD_SIZE and LOCAL_RANK.\n"
    "\n"
    "  -n RANKS   how many, 1 to 1024; without it WORLD_SIZE, or else one per core\n"
    "  -h         show this text\n"
    "\n"
    "  DIST_OUTPUT=live      show lines as they come, with their rank (the default)\n"
    "  DIST_OUTPUT=ordered   show them grouped by rank\n"
    "\n"
    "Exit status: 0, or that of the rank that failed first (128 + number for a signal).\n";

static int complain(int status, const char *sentence)
{
    fprintf(stderr, "distrun: %s\n", sentence);
    return status;
}

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

/* In the child: tell the program its place, and become it. */
static void program_start(struct job *job, int rank)
{
    job_become_child(job, rank);
    set_number("RANK", rank);
    set_number("LOCAL_RANK", rank);
    set_number("WORLD_SIZE", job->plan.size);
    set_number("LOCAL_WORLD_SIZE", job->plan.size);
    set_number("DIST_WORLD_FD", job->world.fd);
    fcntl(job->world.fd, F_SETFD, 0);
    execvp(job->plan.argv[0], job->plan.argv);
    fprintf(stderr, "%s could not be started: %s\n", job->plan.argv[0], strerror(errno));
    _exit(NOT_RUNNABLE);
}

/* Look once before n ranks fail one by one. 0, or the status that a shell would give. */
static int look_at(const char *file)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return NOT_FOUND;
    return S_ISREG(status.st_mode) && access(file, X_OK) == 0 ? 0 : NOT_RUNNABLE;
}

static int look_for(const char *program)
{
    const char *path = getenv("PATH");
    if (strchr(program, '/') || !path)
        return look_at(program);
    for (const char *from = path;; from++) {
        char file[PATH_MAX];
        int length = (int)strcspn(from, ":");
        snprintf(file, sizeof file, "%.*s%s%s", length, from, length > 0 ? "/" : "./", program);
        if (look_at(file) == 0)
            return 0;
        from += length;
        if (*from == '\0')
            return NOT_FOUND;
    }
}

static bool read_ranks(const char *text, int *size)
{
    char *end;
    long value = strtol(text, &end, 10);
    *size = value >= 1 && value <= WORLD_MAX_RANKS ? (int)value : 0;
    return *text >= '0' && *text <= '9' && *end == '\0' && *size > 0;
}

/* Fill in the plan. 0, or the exit status after a sentence; -1: help was shown. */
static int read_arguments(int argc, char **argv, struct job_plan *plan)
{
    char why[256];
    int option;
    while ((option = getopt(argc, argv, "+n:h-:")) != -1) {
        if (option == 'h' || (option == '-' && strcmp(optarg, "help") == 0)) {
            fputs(help, stdout);
            return -1;
        }
        if (option != 'n')
            return complain(USAGE, "distrun --help shows the options");
        if (!read_ranks(optarg, &plan->size)) {
            snprintf(why, sizeof why, "-n is \"%.40s\"; it must be a whole number from 1 to %d", optarg,
                     WORLD_MAX_RANKS);
            return complain(USAGE, why);
        }
    }
    plan->argv = argv + optind;
    if (!plan->argv[0])
        return complain(USAGE, "which program? usage: distrun [-n RANKS] PROGRAM [ARGUMENT...]");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (plan->size == 0 && launch_read_size(cores > 0 ? (int)cores : 1, &plan->size, why, sizeof why) != 0)
        return complain(DIST_ERR_ENVIRONMENT, why);
    bool threads;
    if (launch_read_modes(&threads, &plan->ordered, why, sizeof why) != 0)
        return complain(DIST_ERR_ENVIRONMENT, why);
    if (threads)
        return complain(DIST_ERR_ENVIRONMENT, "ranks as threads (DIST_RANKS=threads, BACKEND=cuda) need a "
                                              "program with dist_spawn; run it by itself");
    return 0;
}

int main(int argc, char **argv)
{
    struct job_plan plan = { .start = program_start,
                             .look = diagnose_look,
                             .review = replay_check,
                             .write = diagnose_lost,
                             .after = trace_write };
    char why[512];
    int status = read_arguments(argc, argv, &plan);
    if (status != 0)
        return status < 0 ? 0 : status;
    status = look_for(plan.argv[0]);
    if (status != 0) {
        snprintf(why, sizeof why, "%.300s %s", plan.argv[0],
                 status == NOT_FOUND ? "was not found" : "is not a program that can be run");
        return complain(status, why);
    }
    status = job_run(&plan, why, sizeof why);
    return status < 0 ? complain(-status, why) : status;
}
