/* sentences.c: one mistake a run, by name, of three ranks: for what no other program of the tests is told (test_sentences.c). */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *what;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

static void messages(int rank, int next, int before, tensor *x, tensor *y)
{
    if (is("receives")) {
        dist_recv(y, before);
        dist_send(x, next);
    } else if (is("both-ways")) {
        if (rank == 0)
            dist_send(x, 1);
        else
            dist_recv(y, next);
    } else if (is("too-many") && rank == 0) {
        for (int i = 0; i < 3; i++)
            dist_recv(y, DIST_ANY_SOURCE);
    } else if (is("too-many")) {
        dist_send(x, 0);
    } else if (is("any-of") && rank == 0) {
        dist_work *works[] = { dist_irecv(x, DIST_ANY_SOURCE), dist_irecv(y, 1, .tag = 1) };
        dist_wait_any(works, 2);
    }
}

/* Rank 0 tells rank 2, and means rank 1. */
static void meant_for_another(int rank, tensor *x)
{
    dist_work *work = rank == 0 ? dist_isend(x, 2) : NULL;
    if (rank == 1)
        dist_recv(x, 0);
    dist_barrier();
    if (work)
        dist_wait(work);
}

static void in_groups(int rank, tensor *x, tensor *y)
{
    dist_group *two = dist_new_group(((int[]){ 0, 1 }), 2), *all = dist_new_group(((int[]){ 0, 1, 2 }), 3);
    if (is("other-group") && rank == 0)
        dist_send(x, 1, .group = two);
    else if (is("other-group") && rank == 1)
        dist_recv(x, 0);
    if (is("crossed-groups") && rank == 0)
        dist_all_reduce(x, .group = two);
    if (is("crossed-groups"))
        dist_all_reduce(y, .group = all);
    if (is("crossed-groups") && rank == 1)
        dist_all_reduce(x, .group = two);
    dist_group_free(two);
    dist_group_free(all);
}

static void say(const struct dist_report *told, void *unused)
{
    (void)unused;
    fprintf(stderr, "%s\n", told->sentence);
}

/* What others do, told to a rank that has a handler. */
static void with_handler(int rank, tensor *x)
{
    dist_set_error_handler(say, NULL);
    if (is("late") && rank == 2) {
        dist_recv(x, 0);
    } else if (is("late")) {
        dist_monitored_barrier(.timeout = 1);
        if (rank == 0)
            dist_send(x, 2);
    } else if (rank == 1) {
        dist_send(x, 2);
        dist_recv(x, 2);
    } else if (rank == 2) {
        dist_recv(x, 1);
        if (is("peer-exits"))
            exit(7);
        raise(SIGKILL);
    }
}

/* On a simulated GPU: what one stream fills the other adds up. */
static void no_event(tensor *x, tensor *y)
{
    dist_stream *other = dist_stream_new();
    tensor_fill(x, 1);
    dist_stream_use(other);
    tensor_add(y, x);
    dist_stream_use(NULL);
    dist_stream_free(other);
}

/* A process that rank 0 has forked writes to what rank 0 sends. */
static void by_a_child(int rank, tensor *x)
{
    dist_work *work = rank == 0 ? dist_isend(x, 1) : NULL;
    pid_t child = rank == 0 ? fork() : -1;
    if (child == 0) {
        ((volatile float *)tensor_data(x))[1] = 2;
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    dist_barrier();
    if (rank == 1)
        dist_recv(x, 0);
    if (work)
        dist_wait(work);
}

static void run(int rank, int size)
{
    if (is("exits") && rank == 1)
        exit(0);
    dist_init_process_group(.backend = strncmp(what, "backend-", 8) == 0 ? what + 8 : NULL);
    tensor *x = tensor_zeros(DIST_F32, 8), *y = tensor_zeros(DIST_F32, 8);
    if (is("meant-for-another"))
        meant_for_another(rank, x);
    else if (is("other-group") || is("crossed-groups"))
        in_groups(rank, x, y);
    else if (is("child"))
        by_a_child(rank, x);
    else if (is("late") || strncmp(what, "peer-", 5) == 0)
        with_handler(rank, x);
    else if (is("no-event"))
        no_event(x, y);
    else if (is("leaves-things"))
        dist_new_group(((int[]){ 0, 1, 2 }), 3), tensor_zeros(DIST_F32, 3);
    else if (is("no-group") && rank == 0)
        dist_new_group(((int[]){ 0, 1 }), 2);
    else if (is("lists"))
        dist_new_group(((int[]){ rank, (rank + 1) % size }), 2);
    else
        messages(rank, (rank + 1) % size, (rank + size - 1) % size, x, y);
    tensor_free(x);
    tensor_free(y);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    return dist_spawn(run, 3);
}
