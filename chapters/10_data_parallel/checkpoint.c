/*
 * checkpoint.c: training that can be interrupted: in the middle of a write, by SIGTERM, and with another number of ranks after.
 *
 *     first      4 ranks begin; rank 0 writes after 24 steps, is killed in the middle of its next write (step 40)
 *     then       2 ranks read what is whole: step 24; at step 30 rank 1 gets SIGTERM: all write, then leave
 *     at last    3 ranks go on from step 30, to the end
 *
 * Run it:  make run-10 PROG=checkpoint N=4
 */
#define _DEFAULT_SOURCE /* signal(): a handler stays, though its signal has come */
#include "../words.h"
#include "checkpoint.h"

#include <signal.h>

enum { ALL = 2 * STEPS, FIRST = 24, DIES = 40, LEAVES = 30 };

static char folder[] = "/tmp/digits-XXXXXX", path[48], aside[64];
static enum { BEGIN, GO_ON, END } life; /* set before the ranks start */
static volatile sig_atomic_t asked_to_leave;

static void leave_soon(int number)
{
    (void)number;
    asked_to_leave = 1;
}

static void die(void)
{
    raise(SIGKILL);
}

/* SIGTERM comes to one rank, or to some, at different times. They leave after the same step if they ask each other. */
static bool anybody_leaves(void)
{
    return over_all(asked_to_leave, DIST_MAX) > 0;
}

static void save(const struct model *m, int64_t step, int rank, void (*dies)(void))
{
    if (rank == 0)
        checkpoint_write(m, path, step, dies);
    dist_barrier(); /* nobody reads before it is there */
}

/* Steps from where the file is to the end, or until something comes between. Returns the step that it came to. */
static int64_t learn(struct model *m, struct digits *d, int64_t step, int rank, int n)
{
    while (step < ALL) {
        digits_shuffle(d, 1 + (int)step / STEPS);
        model_gradients(m, d, part_of_batch((int)step % STEPS, rank, n), BATCH);
        dist_all_reduce(m->gradients);
        model_step(m);
        step++;
        if (life == BEGIN && (step == FIRST || step == DIES))
            save(m, step, rank, step == DIES ? die : NULL);
        if (life == GO_ON && step == LEAVES && rank == n - 1)
            raise(SIGTERM); /* as a cluster's scheduler would */
        if (anybody_leaves())
            break;
    }
    return step;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    signal(SIGTERM, leave_soon);
    struct digits *d = digits_read();
    struct model m = model_for_digits(1);
    int64_t from = checkpoint_read(&m, path), to = learn(&m, d, from, rank, world_size);
    save(&m, to, rank, NULL);
    if (rank == 0)
        printf("%d rank%s: from step %lld to step %lld\n", world_size, world_size > 1 ? "s" : "",
               (long long)from, (long long)to);
    double good = accuracy(&m, d, rank, world_size);
    if (rank == 0 && to == ALL)
        printf("the end: %.1f %% are read rightly\n", good);
    model_free(&m);
    free(d);
    dist_destroy_process_group();
}

/* The first job, without the report that rank 0 was killed: we know. */
static int quietly(void)
{
    int kept = dup(2), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 2);
    int status = dist_spawn(run, 4);
    dup2(kept, 2);
    close(nowhere);
    close(kept);
    return status;
}

static void remove_files(void)
{
    unlink(aside);
    unlink(path);
    rmdir(folder);
}

/* Ctrl-C, or `kill`: nothing stays in /tmp. */
static void clean_up(int number)
{
    remove_files();
    signal(number, SIG_DFL);
    raise(number);
}

int main(void)
{
    char number[16];
    alone("checkpoint");
    if (!mkdtemp(folder))
        give_up("make", folder);
    snprintf(path, sizeof path, "%s/state", folder);
    snprintf(aside, sizeof aside, "%s.new", path);
    signal(SIGINT, clean_up);
    signal(SIGTERM, clean_up);
    int status = quietly();
    printf("the first job has ended with status %d\n", status);
    fflush(stdout);
    for (life = GO_ON; life <= END; life++) {
        snprintf(number, sizeof number, "%d", life == GO_ON ? 2 : 3);
        setenv("WORLD_SIZE", number, 1);
        status = dist_spawn(run, 2);
    }
    remove_files();
    return status;
}
