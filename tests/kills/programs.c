/* programs.c: the small jobs. Each has marks, from which on a tracer may take the victim further in steps. */
#define _GNU_SOURCE
#include "kills.h"
#include "../../lib/dist.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static int mark_number;

static void greet(int rank)
{
    struct greeting me = { rank, (pid_t)syscall(SYS_gettid) };
    char byte;
    bool second = now.how == KILL_TWO && rank == (now.victim + 1) % now.ranks;
    if (now.how == KILL_NEWBORN || now.how == KILL_LAUNCHER || (rank != now.victim && !second))
        return;
    if (write(now.hello[1], &me, sizeof me) < 0 || (!second && read(now.go[0], &byte, 1) < 0))
        _exit(1);
}

/* Here the tracer takes over, if this is the window of the case. */
static void mark(int rank)
{
    if (rank == now.victim && mark_number++ == now.window && now.how != KILL_NEWBORN &&
        now.how != KILL_LAUNCHER)
        raise(SIGUSR1);
}

static void talk(int rank, int n, long elements)
{
    tensor *x = tensor_full(DIST_F32, rank, elements), *y = tensor_zeros(DIST_F32, elements);
    int right = (rank + 1) % n, left = (rank + n - 1) % n;
    mark(rank);
    if (rank % 2 == 0)
        dist_send(x, right);
    dist_recv(y, left);
    if (rank % 2 != 0)
        dist_send(x, right);
    dist_work *in = dist_irecv(y, left, .tag = 5);
    mark(rank);
    dist_work *out = dist_isend(x, right, .tag = 5);
    dist_wait(in);
    dist_wait(out);
    tensor_free(x);
    tensor_free(y);
}

static void add_up(int rank, long elements)
{
    tensor *x = tensor_full(DIST_F32, rank, elements);
    mark(rank);
    dist_all_reduce(x);
    mark(rank);
    dist_wait(dist_all_reduce(x, .async_op = true));
    dist_broadcast(x, 0);
    tensor_free(x);
}

static void in_groups(int rank, int n)
{
    int pair[2] = { 0, n - 1 };
    tensor *x = tensor_full(DIST_F32, rank, 100);
    mark(rank);
    dist_group *group = dist_new_group(pair, 2);
    mark(rank);
    if (rank == 0 || rank == n - 1)
        dist_all_reduce(x, .group = group);
    dist_group_free(group);
    dist_barrier();
    tensor_free(x);
}

static void fail_somehow(int rank, int n)
{
    tensor *x = tensor_full(DIST_F32, rank, now.program == 6 ? 3 + (rank == 0) : 3);
    mark(rank);
    if (now.program == 6) /* the members differ */
        dist_all_reduce(x);
    else if (now.program == 7 && rank == 0) /* a wrong argument */
        dist_send(x, n + 5);
    else if (now.program == 7)
        dist_barrier();
    else /* all wait for each other */
        dist_recv(x, (rank + 1) % n);
    tensor_free(x);
}

void program_run(int rank, int n)
{
    greet(rank);
    mark(rank);
    dist_init_process_group();
    switch (now.program) {
    case 0:
        talk(rank, n, 4);
        break;
    case 1:
        talk(rank, n, 20000);
        break;
    case 2:
        talk(rank, n, 200000);
        break;
    case 3:
        add_up(rank, 4);
        break;
    case 4:
        add_up(rank, 100000);
        break;
    case 5:
        in_groups(rank, n);
        break;
    default:
        fail_somehow(rank, n);
    }
    mark(rank);
    dist_destroy_process_group();
}
