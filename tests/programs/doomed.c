/*
 * doomed.c HOW RANK MICROSECONDS: a token goes round a ring for ever, until RANK comes to its end.
 *
 * HOW is kill (at some moment, wherever it is), or segv, abort, exit:N, exit:0, writing:FILE (killed half way through it), left:N
 * (after leaving) or early (after the time, without joining): these happen between two calls, once the time has passed; left, after
 * some rounds, when nobody waits for it. Or mistake: that it makes while the others leave, and what it has printed takes so long to be
 * written. Or another: it calls dist_reduce_scatter where the others call dist_reduce.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *how;
static int doomed_rank;
static long microseconds;

static void kill_later(void)
{
    timer_t timer;
    struct sigevent end = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
    struct itimerspec when = { .it_value = { microseconds / 1000000, microseconds % 1000000 * 1000 + 1 } };
    if (timer_create(CLOCK_MONOTONIC, &end, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
        exit(99);
}

/* As a report is written: beside its place, with the process's id in its name. */
static void write_half(const char *path)
{
    char beside[4200];
    snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid());
    FILE *file = fopen(beside, "wx");
    if (!file || fputs("{ \"class\": ", file) < 0 || fflush(file) != 0)
        exit(97);
    raise(SIGKILL);
}

static void end_now(void)
{
    if (strncmp(how, "writing:", 8) == 0)
        write_half(how + 8);
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strncmp(how, "exit:", 5) == 0)
        exit(atoi(how + 5));
}

static ssize_t write_slowly(void *unused, const char *text, size_t size)
{
    (void)unused, (void)text;
    usleep((useconds_t)microseconds);
    return (ssize_t)size;
}

static void err_at_the_end(bool doomed)
{
    FILE *slow = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_slowly });
    if (doomed && slow && fputs("printed", slow) >= 0)
        dist_irecv(tensor_full(DIST_F32, 0, 1), -2);
    dist_destroy_process_group();
}

static void call_another(bool doomed, int size)
{
    tensor *x = tensor_full(DIST_F32, 1, size), *y = tensor_full(DIST_F32, 1, 1);
    if (doomed)
        dist_reduce_scatter(y, x);
    else
        dist_reduce(x, doomed_rank);
}

static void leave(bool doomed)
{
    if (!doomed)
        for (;;)
            pause();
    dist_destroy_process_group();
    exit(atoi(how + 5));
}

static void run(int rank, int world_size)
{
    bool doomed = rank == doomed_rank;
    if (doomed && strcmp(how, "kill") == 0)
        kill_later();
    if (doomed && strcmp(how, "early") == 0) {
        usleep((useconds_t)microseconds);
        return;
    }
    dist_init_process_group();
    if (strcmp(how, "mistake") == 0) {
        err_at_the_end(doomed);
        return;
    }
    if (strcmp(how, "another") == 0) {
        call_another(doomed, world_size);
        return;
    }
    tensor *x = tensor_full(DIST_F32, 1, 100), *y = tensor_full(DIST_F32, 1, 100);
    double start = dist_time();
    for (int round = 0;; round++) {
        if (round == 100 && strncmp(how, "left:", 5) == 0)
            leave(doomed);
        if (doomed && (dist_time() - start) * 1e6 > (double)microseconds)
            end_now();
        dist_work *sent = dist_isend(x, (rank + 1) % world_size);
        dist_recv(y, (rank + world_size - 1) % world_size);
        dist_wait(sent);
        dist_all_reduce(y);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 98;
    how = argv[1];
    doomed_rank = atoi(argv[2]);
    microseconds = atol(argv[3]);
    return dist_spawn(run, 4);
}
