/*
 * waiters.c: ranks that wait for any of several works, or only ask; one case a run, by name. A mark stands on each line that a report
 * must name (test_waiters.c).
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

static void must(bool good)
{
    if (!good)
        abort();
}

/* Rank 0 waits for one of the two others. What do these do? */
static void one_of_two(int rank, tensor *x, tensor *y)
{
    if (rank == 0) {
        dist_work *works[] = { dist_irecv(x, 1),         /* mark from-1 */
                               NULL, dist_irecv(y, 2) }; /* mark from-2 */
        int first = dist_wait_any(works, 3);             /* mark any */
        if (is("one-comes")) {
            must(first == 2 && !works[2]);
            dist_send(y, 1, .tag = 1);
            must(dist_wait_any(works, 3) == 0 && dist_wait_any(works, 3) == -1);
        }
    } else if (is("none-comes")) {
        dist_recv(x, 0); /* mark none-comes */
    } else if (is("one-comes") && rank == 1) {
        dist_recv(x, 0, .tag = 1);
        dist_send(x, 0);
    } else if (is("one-comes") || (is("other-tag") && rank == 2)) {
        dist_send(x, 0, .tag = is("other-tag") ? 4 : 0); /* mark other-tag */
    }
}

/* Rank 0 would do with a message or with the end of a collective. */
static void message_or_collective(int rank, tensor *x, tensor *y)
{
    if (rank == 0) {
        dist_work *works[] = { dist_all_reduce(x, .async_op = true), /* mark sum */
                               dist_irecv(y, 2) };                   /* mark beside */
        dist_wait_any(works, 2);
    } else if (rank == 1) {
        dist_all_reduce(x);
    } else {
        dist_recv(y, 0); /* mark no-sum */
    }
}

/* The others have gone so far that each of several would do, and none comes: a ring of those who wait for any. */
static void all_wait_for_any(int rank, int size, tensor *x, tensor *y)
{
    dist_work *works[] = { dist_irecv(x, (rank + 1) % size),          /* mark next */
                           dist_irecv(y, (rank + size - 1) % size) }; /* mark before */
    dist_wait_any(works, 2);
}

static void only_one(int rank, tensor *x)
{
    dist_work *works[] = { NULL, rank < 2 ? dist_irecv(x, 1 - rank) : NULL }; /* mark only */
    must(dist_wait_any(works, 2) == -1);
}

static void to_itself(int rank, tensor *x, tensor *y)
{
    dist_work *works[] = { dist_irecv(x, rank), dist_irecv(y, rank, .tag = 1) }; /* mark self */
    if (rank == 0)
        dist_wait_any(works, 2);
    else
        dist_barrier();
}

static void misuse(int rank, tensor *x)
{
    dist_work *works[] = { dist_irecv(x, rank) };
    dist_send(x, rank);
    dist_wait(works[0]);
    if (is("stale"))
        dist_wait_any(works, 1); /* mark stale */
    if (is("negative"))
        dist_wait_any(works, -1); /* mark negative */
    if (is("nowhere"))
        dist_wait_any(NULL, 2); /* mark nowhere */
}

static int told = -1; /* what all ranks say, threads or processes; main() prints it at the end */

/* Ask until something is told, a minute at most; each time after so many seconds of sleep, or of work. */
static void ask(dist_work *work, double sleeps, double works)
{
    struct stat said;
    double begin = dist_time(), limit = works > 0 ? 7 : 60;
    while (!dist_is_completed(work) && fstat(told, &said) == 0 && said.st_size == 0) { /* mark asks */
        if (sleeps > 0)
            usleep((useconds_t)(sleeps * 1e6));
        for (double end = dist_time() + works; dist_time() < end;)
            ;
        if (dist_time() > begin + limit)
            break;
    }
}

/* Rank 0 asks for what rank 1 sends only after rank 0 has sent; rank 2 waits for rank 1, or has left. */
static void polls(int rank, tensor *x, tensor *y)
{
    if (rank == 0) {
        dist_work *work = dist_irecv(x, 1);
        ask(work, is("sleeps") ? 0.002 : 0, is("works") ? 0.002 : 0);
        dist_send(y, 1);
        dist_wait(work);
    } else if (rank == 1) {
        dist_recv(y, 0); /* mark not-asked */
        dist_send(x, 0);
    }
    if (rank > 0 && !is("leaves"))
        dist_barrier(); /* mark not-there */
    else if (!is("leaves"))
        dist_barrier();
}

/* Each asks for what the next sends only when it has its own; or waits for it; or works in between. */
static void all_poll(int rank, int size, tensor *x, tensor *y)
{
    dist_work *work = dist_irecv(x, (rank + 1) % size); /* mark all-ask */
    if (!is("two-poll") || rank < 2)
        ask(work, 0, is("one-works") && rank == 1 ? 0.002 : 0);
    else
        dist_wait(work);
    dist_work *sent = dist_isend(y, (rank + size - 1) % size);
    if (!is("two-poll") || rank < 2)
        dist_wait(work);
    dist_wait(sent);
}

static bool all_ask(void)
{
    return is("all-poll") || is("two-poll") || is("one-works");
}

static bool one_asks(void)
{
    return is("polls") || is("sleeps") || is("works") || is("leaves");
}

static void run(int rank, int size)
{
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_I32, 1), *y = tensor_zeros(DIST_I32, 1);
    if (is("sum"))
        message_or_collective(rank, x, y);
    else if (is("all"))
        all_wait_for_any(rank, size, x, y);
    else if (is("only"))
        only_one(rank, x);
    else if (is("self"))
        to_itself(rank, x, y);
    else if (is("stale") || is("negative") || is("nowhere"))
        misuse(rank, x);
    else if (all_ask())
        all_poll(rank, size, x, y);
    else if (one_asks())
        polls(rank, x, y);
    else
        one_of_two(rank, x, y);
    if (is("one-comes")) {
        tensor_free(x);
        tensor_free(y);
    }
    dist_destroy_process_group();
}

/* Those that ask look what was said. One file for all: a file of each rank would have threads move stderr under each other. */
int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    if (!all_ask() && !one_asks())
        return dist_spawn(run, 3);
    told = memfd_create("told", 0);
    int before = dup(2);
    dup2(told, 2);
    int status = dist_spawn(run, 3);
    dup2(before, 2);
    char text[65536];
    ssize_t length = pread(told, text, sizeof text, 0);
    if (length > 0 && write(2, text, (size_t)length) < 0)
        abort();
    return status;
}
