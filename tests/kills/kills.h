/* kills.h: one case of the sweep: which job, and where a process of it is stopped and killed. */
#ifndef KILLS_H
#define KILLS_H

#include <stdbool.h>
#include <sys/types.h>

enum how {
    KILL_RANK,
    KILL_TWO,
    KILL_NEWBORN,
    KILL_LAUNCHER,
    TERM_WHILE_STOPPED,
    KILL_FOREIGN,
    KILL_THREADS,
    HOWS
};

/* The case, chosen before anything is started; the job's processes inherit it. */
extern struct kill_case {
    enum how how;
    int ranks, program, victim, window, steps;
    bool calls; /* steps are system calls, not instructions */
    unsigned long port;
    int hello[2], go[2]; /* pipes: the victim says who it is; and may go */
} now;

#define PROGRAMS 9
#define FAILING 6 /* the programs from here on fail by themselves */
#define MARKS 4   /* in each of them, about */

/* What came of it. */
struct result {
    pid_t job[8]; /* the launcher; or the ranks, where the launcher is ours */
    int left;
    int status; /* of the launcher; the largest of the ranks */
    bool killed;
    int victims[2];
    pid_t pids[2];
    char text[65536];
};

/* Who has come to the first mark. */
struct greeting {
    int rank;
    pid_t pid; /* of the thread */
};

void program_run(int rank, int n);              /* programs.c: the program of the case, as one rank */
void stop_and_kill(struct result *result);      /* stop.c */
const char *judge(const struct result *result); /* judge.c: what is wrong; NULL: all is well */
const char *job_case(struct result *result);    /* job.c: the whole case; the same */

#endif
