/* distrun.c: start any program as n ranks, and watch them: for programs without dist_spawn. */
#define _GNU_SOURCE
#include "job.h"
#include "nearest.h"
#include "../dist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USAGE 2 /* exit status: the command line makes no sense */
#define MOST_RESTARTS 1000

static const char help[] =
    "usage: distrun [-n RANKS] [--restarts TIMES] PROGRAM [ARGUMENT...]\n"
    "       distrun -n RANKS --nodes MACHINES --node NUMBER --at HOST:PORT PROGRAM...\n"
    "\n"
    "Starts PROGRAM as RANKS processes that find each other in dist_init_process_group,\n"
    "and watches over them: when one fails, all end, and one report says why.\n"
    "Each finds its place in RANK, WORLD_SIZE and LOCAL_RANK.\n"
    "\n"
    "  -n RANKS   how many, 1 to 1024; without it WORLD_SIZE, or else one per core\n"
    "  --restarts TIMES\n"
    "             where ranks were lost, start again with those that are left: for programs\n"
    "             that go on from a checkpoint. Not after 40 to 49\n"
    "  --nodes MACHINES, --node NUMBER, --at HOST:PORT\n"
    "             the job is on several machines: start it on each, with its number from 0,\n"
    "             where node 0 is, and RANKS in all. What ranks print comes out at node 0\n"
    "  --secret FILE\n"
    "             holds the job's secret; or DIST_SECRET has it. Node 0 can make one\n"
    "  --help     show this text; --version: which version this is\n"
    "\n"
    "  DIST_OUTPUT=live      show lines as they come, with their rank (the default)\n"
    "  DIST_OUTPUT=ordered   show them grouped by rank\n"
    "\n"
    "Exit status: 0, or that of the rank that failed first (128 + number for a signal).\n";

static int __attribute__((format(printf, 2, 3))) distrun_complain(int status, const char *format, ...)
{
    char text[700] = "distrun: ";
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    text_tell(text, TEXT_WIDTH);
    return status;
}

/* A rank that does not become its program says so, if it is the first one. */
static _Noreturn void distrun_fail_to_start(struct job *job, int rank, int status)
{
    const char *why = errno == ENOENT ? "the interpreter that it names was not found" : strerror(errno);
    if (world_fail(&job->world, rank, END_EXIT, status, "")) {
        distrun_complain(status, "%.200s could not be started: %s", job->plan.argv[0], why);
        world_told(&job->world);
    }
    _exit(status);
}

/* In the child: tell the program its place, and become it. */
static void distrun_program_start(struct job *job, int rank)
{
    if (!program_set_place(job, rank))
        distrun_fail_to_start(job, rank, DIST_ERR_MEMORY);
    fcntl(job->world.fd, F_SETFD, 0);
    execvp(job->plan.argv[0], job->plan.argv);
    distrun_fail_to_start(job, rank, PROGRAM_NOT_RUNNABLE);
}

static int distrun_refuse_option(const char *option)
{
    static const char *const names[] = { "--help", "--version", "--restarts", "--nodes",
                                         "--node", "--at",      "--secret" };
    size_t length = strcspn(option, "=");
    struct nearest nearest = nearest_to(option, length);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        nearest_try(&nearest, names[i], strlen(names[i]));
    if (nearest.found_length == length && strncmp(option, nearest.found, length) == 0)
        return distrun_complain(USAGE, "%s takes no word", nearest.found);
    return distrun_complain(USAGE, "there is no option %.*s; %s%s%s", length < 60 ? (int)length : 60, option,
                            nearest.found ? "did you mean "
                                          : "-n RANKS says how many, distrun --help the rest",
                            nearest.found ? nearest.found : "", nearest.found ? "?" : "");
}

/* What is answered by a text of ours. */
static void distrun_answer(const char *option)
{
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0)
        fputs(help, stdout);
    else if (strcmp(option, "--version") == 0)
        puts("distrun " DIST_VERSION);
    else
        return;
    exit(fflush(stdout) != 0);
}

/* The number behind an option, or in it. 0, or a negative exit status after a sentence. */
static int distrun_read_option(const char *name, const char *text, int least, int most, int *number)
{
    struct why why;
    if (!text)
        return -distrun_complain(USAGE, "%s stands last, but needs a number after it, and then a program",
                                 name);
    int status = setting_check_number(name, text, least, most, number, &why);
    return status ? -distrun_complain(USAGE, "%s", why.text) : 0;
}

/* Those before the program; gives the place of the first word that is none, or minus the exit status after a sentence. */
static int distrun_read_options(int argc, char **argv, struct job_plan *plan, int *restarts)
{
    int i = 1, wrong = 0;
    struct why why;
    for (; wrong == 0 && i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
        const char *number = argv[i] + 2;
        if (strncmp(argv[i], "-n", 2) == 0) {
            if (!*number || strcmp(number, "p") == 0) /* mpirun's -np is as good */
                number = argv[++i];
            wrong = distrun_read_option("-n", number, 1, WORLD_MAX_RANKS, &plan->size);
        } else if (strncmp(argv[i], "--restarts", 10) == 0 && (!argv[i][10] || argv[i][10] == '=')) {
            number = argv[i][10] ? argv[i] + 11 : argv[++i];
            wrong = distrun_read_option("--restarts", number, 0, MOST_RESTARTS, restarts);
        } else if ((wrong = nodes_option(plan->nodes, argc, argv, &i, &why)) != 0) {
            wrong = wrong > 0 ? 0 : -distrun_complain(-wrong, "%s", why.text);
        } else {
            distrun_answer(argv[i]);
            wrong = -distrun_refuse_option(argv[i]);
        }
    }
    return wrong ? wrong : i < argc && strcmp(argv[i], "--") == 0 ? i + 1 : i;
}

/* Run it; where ranks were lost, again with those that are left. */
static int distrun_run_to_end(struct job_plan *plan, int restarts)
{
    struct why why;
    static int lost; /* job_run sets it; the plan outlives this call */
    plan->lost = &lost;
    for (;;) {
        int status = job_run(plan, &why);
        if (status < 0)
            return distrun_complain(-status, "%s", why.text);
        bool mistake =
            (status >= DIST_ERR_ARGUMENT && status <= DIST_ERR_BUFFER) || status == PROGRAM_NOT_RUNNABLE;
        if (status == 0 || lost == 0 || mistake || plan->restart == restarts)
            return status;
        plan->size = lost < plan->size ? plan->size - lost : 1;
        distrun_complain(0, "%d rank%s lost; restart %d of %d, with %d", lost, lost > 1 ? "s were" : " was",
                         ++plan->restart, restarts, plan->size);
    }
}

/* With the launchers of the other machines. */
static int distrun_run_on_nodes(struct job_plan *plan, int restarts)
{
    struct why why;
    struct nodes *nodes = plan->nodes;
    if (restarts)
        return distrun_complain(DIST_ERR_ENVIRONMENT,
                                "--restarts is for jobs on one machine; leave it out, or --nodes");
    int status = nodes_begin(nodes, plan->argv[0], &why);
    status = status ? distrun_complain(status, "%s", why.text) : distrun_run_to_end(plan, 0);
    nodes_leave(nodes);
    return status;
}

/* The environment's part of the plan. 0, or the exit status after a sentence. */
static int distrun_read_environment(struct job_plan *plan)
{
    struct why why;
    bool threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool far = nodes_are_asked_for(plan->nodes);
    plan->nodes->size = plan->size;
    if (far && !setting_text("BACKEND") && !setting_text("DEVICE"))
        setenv("BACKEND", NODES_BACKEND, 1);
    if (launch_read_modes(&threads, &plan->ordered, &why) != 0)
        return distrun_complain(DIST_ERR_ENVIRONMENT, "%s", why.text);
    int alone = far ? 0 : cores > 0 ? (int)cores : 1;
    if (plan->size == 0)
        plan->nodes->size = plan->size = (int)setting_number("WORLD_SIZE", alone);
    settings_warn_unknown();
    if (threads)
        return distrun_complain(DIST_ERR_ENVIRONMENT,
                                "ranks as threads (DIST_RANKS=threads, BACKEND=cuda) need a "
                                "program with dist_spawn; run it by itself");
    return 0;
}

/* 0, or the exit status after a sentence. */
static int distrun_look_for_program(const char *program)
{
    int status = program_look_for(program);
    if (status == 0)
        return 0;
    bool here = status == PROGRAM_NOT_FOUND && program_look_at(program) == 0;
    return distrun_complain(status, "%.200s %s%s%.200s%s", program,
                            status == PROGRAM_NOT_FOUND ? "was not found"
                                                        : "is not a program that can be run",
                            here ? "; did you mean ./" : "", here ? program : "", here ? "?" : "");
}

/* The machines that wait for this one are told that nothing will start here. */
static int distrun_tell_others(struct nodes *nodes, int status)
{
    struct why why;
    if (nodes_are_asked_for(nodes))
        nodes_begin(nodes, NULL, &why);
    nodes_leave(nodes);
    return status;
}

int main(int argc, char **argv)
{
    struct job_plan plan = { .start = distrun_program_start };
    struct nodes nodes = { .number = -1, .version = DIST_VERSION };
    plan.nodes = &nodes;
    launch_fill_standard_files();
    if (argc < 2)
        return fprintf(stderr, "%.*s\n", (int)strcspn(help, "\n"), help), USAGE;
    int restarts = 0, first = distrun_read_options(argc, argv, &plan, &restarts);
    if (first < 0)
        return -first;
    plan.argv = argv + first;
    if (first >= argc || !*argv[first])
        return distrun_complain(USAGE, "no program is named; it stands after the options");
    int status = distrun_read_environment(&plan);
    if (status == 0)
        status = distrun_look_for_program(plan.argv[0]);
    if (status != 0)
        return distrun_tell_others(&nodes, status);
    if (nodes_are_asked_for(&nodes))
        return distrun_run_on_nodes(&plan, restarts);
    plan.nodes = NULL;
    return distrun_run_to_end(&plan, restarts);
}
