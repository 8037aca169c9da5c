/* generated_judge.c: run a program as a child process, and compare what came of it with its label. */
#define _GNU_SOURCE
#include "generated.h"
#include "hurry.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is run: one program, or many. */
struct subject {
    const struct gen_program *one;
    int schedules;
    const struct gen_many *many;
};

void (*gen_starter)(const struct gen_place *place, const struct gen_program *p, int schedules);
bool gen_any_failure;

static void set_all(const char *const *settings, int count)
{
    for (int i = 0; i < count; i++)
        if (settings[i])
            putenv((char *)settings[i]);
}

static _Noreturn void be_the_job(const struct subject *what, const struct gen_place *place, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDERR_FILENO);
    unsetenv("DIST_CHECK");
    unsetenv("DIST_BUFFERING");
    set_all(place->settings, GEN_SETTINGS);
    if (what->one)
        set_all(what->one->settings, 2);
    if (gen_starter)
        gen_starter(place, what->one, what->schedules);
    _exit(what->one ? gen_spawn(what->one, what->schedules) : gen_spawn_many(what->many));
}

/* Keep what the child says until its end. False: the deadline came first. */
static bool listen_to(int in, struct gen_verdict *verdict, double deadline)
{
    size_t used = 0;
    double until = dist_time() + deadline;
    for (;;) {
        struct pollfd waiting = { .fd = in, .events = POLLIN };
        double left = until - dist_time();
        char rest[1024];
        if (left <= 0 || poll(&waiting, 1, (int)(left * 1000) + 1) <= 0)
            return false;
        size_t room = sizeof verdict->said - 1 - used;
        ssize_t got = read(in, room ? verdict->said + used : rest, room ? room : sizeof rest);
        if (got <= 0)
            return true;
        used += room ? (size_t)got : 0;
    }
}

static bool names(const char *said, int line)
{
    char place[40];
    int length = snprintf(place, sizeof place, "program:%d", line);
    for (const char *at = strstr(said, place); at; at = strstr(at + 1, place))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

static void compare(const struct gen_program *p, struct gen_verdict *v)
{
    int named = 0;
    for (int i = 0; i < 2; i++)
        named += p->guilty[i] > 0 && names(v->said, p->guilty[i]);
    if (v->status == -1)
        snprintf(v->wrong, sizeof v->wrong, "it did not end in time");
    else if (v->status != p->status && !(gen_any_failure && v->status > 0 && p->status > 0))
        snprintf(v->wrong, sizeof v->wrong, "exit status %d, must be %d", v->status, p->status);
    else if (p->fault == FAULT_NONE && v->said[0])
        snprintf(v->wrong, sizeof v->wrong, "it is right, and something was said");
    else if (named < p->named)
        snprintf(v->wrong, sizeof v->wrong, "the report names %d of the lines %d and %d, must name %d", named,
                 p->guilty[0], p->guilty[1], p->named);
    v->right = v->wrong[0] == '\0';
}

/* Start it as a child process, listen, and see how it ends. */
static void run(const struct subject *what, const struct gen_place *place, double deadline,
                struct gen_verdict *verdict)
{
    int pipes[2], status = 0;
    memset(verdict, 0, sizeof *verdict);
    if (pipe(pipes) != 0)
        abort();
    double start = dist_time();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        be_the_job(what, place, pipes[1]);
    }
    close(pipes[1]);
    bool ended = listen_to(pipes[0], verdict, deadline);
    if (!ended)
        kill(child, SIGKILL);
    close(pipes[0]);
    waitpid(child, &status, 0);
    verdict->seconds = dist_time() - start;
    verdict->status = !ended ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void gen_judge(const struct gen_program *p, const struct gen_place *place, int schedules, double deadline,
               struct gen_verdict *verdict)
{
    run(&(struct subject){ .one = p, .schedules = schedules }, place, deadline, verdict);
    compare(p, verdict);
}

void gen_judge_many(const struct gen_many *many, const struct gen_place *place, double deadline,
                    struct gen_verdict *verdict)
{
    static const struct gen_program right = { .fault = FAULT_NONE };
    run(&(struct subject){ .many = many }, place, deadline, verdict);
    compare(&right, verdict);
}

/* ---- where programs are run ------------------------------------------------------------------------- */

#define CHECKED "DIST_CHECK=1"
#define ON_HOST \
    { \
        .checked = false \
    }
#define EAGER \
    { \
        .eager = true \
    }
#define WATCHED \
    { \
        .checked = true \
    }
#define EAGER_WATCHED \
    { \
        .eager = true, .checked = true \
    }
#define MIXED \
    { \
        .mixed = true \
    }
#define MIXED_WATCHED \
    { \
        .mixed = true, .checked = true \
    }
#define EAGER_MIXED_WATCHED \
    { \
        .eager = true, .mixed = true, .checked = true \
    }
#define ON_GPU \
    { \
        .on_device = true \
    }
#define ON_GPU_WATCHED \
    { \
        .on_device = true, .checked = true \
    }
#define PLUGIN(name) "build/plugins/dist-" name ".so"

static const struct gen_place places[] = {
    { "processes", { "DIST_RANKS=processes" }, ON_HOST, NULL },
    { "threads", { "DIST_RANKS=threads" }, ON_HOST, NULL },
    { "eager", { "DIST_BUFFERING=eager:4096" }, EAGER, NULL },
    { "threads, eager", { "DIST_RANKS=threads", "DIST_BUFFERING=eager:512" }, EAGER, NULL },
    { "checked", { CHECKED }, WATCHED, NULL },
    { "threads, checked", { CHECKED, "DIST_RANKS=threads" }, WATCHED, NULL },
    { "eager, checked", { CHECKED, "DIST_BUFFERING=eager:4096" }, EAGER_WATCHED, NULL },
    { "shuffled", { "DIST_SHUFFLE=5" }, ON_HOST, NULL },
    { "shuffled, checked", { CHECKED, "DIST_SHUFFLE=7" }, WATCHED, NULL },
    { "ring", { "DIST_ALGORITHM=ring" }, MIXED, NULL },
    { "tree, checked", { CHECKED, "DIST_ALGORITHM=tree" }, MIXED_WATCHED, NULL },
    { "halving, threads", { "DIST_ALGORITHM=halving", "DIST_RANKS=threads" }, MIXED, NULL },
    { "messages", { "DIST_ALGORITHM=messages" }, MIXED, NULL },
    { "messages, eager, checked",
      { CHECKED, "DIST_ALGORITHM=messages", "DIST_BUFFERING=eager:4096" },
      EAGER_MIXED_WATCHED,
      NULL },
    { "simulated GPUs", { "DEVICE=sim" }, ON_GPU, NULL },
    { "simulated GPUs, checked", { CHECKED, "DEVICE=sim" }, ON_GPU_WATCHED, NULL },
    { "cuda backend", { "BACKEND=cuda", "DEVICE=sim" }, ON_GPU, NULL },
    { "cuda backend, checked", { CHECKED, "BACKEND=cuda", "DEVICE=sim" }, ON_GPU_WATCHED, NULL },
    { "gloo", { "BACKEND=gloo" }, MIXED, PLUGIN("gloo") },
    { "gloo, checked", { CHECKED, "BACKEND=gloo" }, MIXED_WATCHED, PLUGIN("gloo") },
    { "mpi", { "BACKEND=mpi" }, MIXED, PLUGIN("mpich") },
    { "mpi, checked", { CHECKED, "BACKEND=mpi" }, MIXED_WATCHED, PLUGIN("mpich") },
};

const struct gen_place *gen_place(int number)
{
    const struct gen_place *place = NULL;
    for (int i = 0; i < (int)(sizeof places / sizeof places[0]); i++) {
        place = &places[(number + i) % (int)(sizeof places / sizeof places[0])];
        if (!place->needs || (!SANITIZED && access(place->needs, R_OK) == 0))
            break;
    }
    return place;
}

int gen_place_count(void)
{
    return (int)(sizeof places / sizeof places[0]);
}
