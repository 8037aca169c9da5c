/*
 * kills.c: does a job end, with one true report, wherever a rank or its launcher is killed?  kills [SECONDS [SEED [ONE]]]
 *
 * Each case is a small job in which a process is stopped somewhere (ptrace): some instructions or system calls behind a
 * mark in the program, or behind its birth. There it is killed; or stays as it is, and the job gets SIGTERM. Then:
 * the launcher ends in time, no process is left, stderr says once who was killed, and the exit status is right.
 * A case is told by its number alone: `kills 0 SEED NUMBER` runs it again. README.md has the protocols that are looked at.
 */
#define _GNU_SOURCE
#include "kills.h"
#include "../../lib/dist.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77
#define WORKERS 2

static const char *const how_names[HOWS] = { "a rank killed",
                                             "two ranks killed",
                                             "a rank killed before it ran",
                                             "the launcher killed",
                                             "SIGTERM while a rank stands still",
                                             "a rank of a foreign launcher killed",
                                             "ranks as threads killed" };

struct kill_case now;

/* What all workers have seen. */
static struct tally {
    _Atomic int cases[HOWS], killed[HOWS], bad;
} * tally;

static void prepare(unsigned long seed, unsigned long number)
{
    srandom((unsigned)(seed * 1000003 + number));
    now.how = (enum how)(random() % 3 ? KILL_RANK : random() % HOWS);
    now.ranks = 2 + (int)(random() % 3);
    now.program = (int)(random() % PROGRAMS);
    now.victim = (int)(random() % now.ranks);
    now.window = (int)(random() % MARKS);
    now.calls = now.how == KILL_LAUNCHER || random() % 8 == 0;
    /* An error is recorded and told some twenty thousand instructions after the program has made it. */
    bool late = !now.calls && now.program >= FAILING && random() % 2;
    now.steps = late        ? 15000 + (int)(random() % 10000)
                : now.calls ? (int)(random() % 60)
                            : (int)(random() % (1 << (3 + random() % 9)));
    now.port = (unsigned long)getpid() * 100000 + number % 100000;
}

static void try_one(unsigned long seed, unsigned long number, bool tell)
{
    static struct result result;
    prepare(seed, number);
    const char *wrong = job_case(&result);
    tally->cases[now.how]++;
    tally->killed[now.how] += result.killed;
    tally->bad += wrong != NULL;
    if (wrong || tell)
        printf("%s: kills 0 %lu %lu: %s; program %d, %d ranks, rank %d, %d %s behind mark %d; exit status "
               "%d\n%s",
               wrong ? wrong : "well", seed, number, how_names[now.how], now.program, now.ranks, now.victim,
               now.steps, now.calls ? "calls" : "instructions", now.window, result.status, result.text);
    fflush(stdout);
}

static void work(unsigned long seed, unsigned long first, double limit)
{
    double begun = dist_time();
    for (unsigned long number = first; dist_time() - begun < limit; number += WORKERS)
        try_one(seed, number, false);
}

static bool may_trace(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
    int status = 1;
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static int tell(unsigned long seed)
{
    int all = 0;
    for (int how = 0; how < HOWS; how++) {
        all += tally->killed[how];
        printf("%5d of %5d: %s\n", tally->killed[how], tally->cases[how], how_names[how]);
    }
    printf("seed %lu: %d kills, %d wrong\n", seed, all, tally->bad);
    return tally->bad > 0 || all == 0;
}

int main(int argc, char **argv)
{
    double limit = argc > 1 ? atof(argv[1]) : 5;
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED || !may_trace()) {
        puts("skipped: this machine does not let a process trace another");
        return SKIPPED;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (argc > 3) {
        try_one(seed, strtoul(argv[3], NULL, 10), true);
        return tell(seed);
    }
    for (unsigned long worker = 0; worker < WORKERS; worker++)
        if (fork() == 0) {
            prctl(PR_SET_CHILD_SUBREAPER, 1);
            work(seed, worker, limit);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    return tell(seed);
}
