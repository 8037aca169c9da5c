/*
 * leaps.c: where the host waits for its GPU, a handler leaves by longjmp; and what comes then is as if that call had never been.
 * tests/test_manners.c starts it.
 *
 *   leaps looks         out of tensor_item; then all wait for each other
 *   leaps any           out of dist_wait_any; then all wait for each other, each for one message
 *   leaps collective    out of a collective of the host, before it has begun
 *   leaps messages      a collective that is done by messages waits for the stream on the way, and is not left
 *   leaps copies        out of tensor_write, whose copy still stands in its stream when the next one is made
 *   leaps anybody       out of a receive from anybody, which does not fit either: that is told where the host waits next
 */
#define _GNU_SOURCE
#include "dist.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;
static _Thread_local jmp_buf back;

static void leap(const struct dist_report *report, void *context)
{
    (void)context;
    longjmp(back, (int)report->error);
}

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* A message that does not fit, of which the host hears when it waits next. */
static void go_wrong(int rank)
{
    tensor *x = tensor_zeros(DIST_F32, 4 + rank);
    if (rank == 0)
        dist_send(x, 1);
    else
        dist_recv(x, 0);
    tensor_free(x);
}

static void wait_for_each_other(int rank)
{
    tensor *y = tensor_to(tensor_zeros(DIST_F32, 4), DIST_HOST);
    dist_recv(y, 1 - rank);
}

static void looks(int rank, tensor *x)
{
    if (setjmp(back) == 0) {
        go_wrong(rank);
        tensor_item(x, 0);
    }
    wait_for_each_other(rank);
}

static void any(int rank, tensor *x)
{
    tensor *y = tensor_zeros(DIST_F32, 4);
    dist_work *works[] = { dist_irecv(x, 1 - rank, .tag = 1), dist_irecv(y, 1 - rank, .tag = 2) },
              *second = works[1];
    if (setjmp(back) == 0) {
        go_wrong(rank);
        dist_wait_any(works, 2);
    }
    dist_wait(second);
    dist_synchronize();
}

static void collective(int rank)
{
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(back) == 0) {
            go_wrong(rank);
            dist_wait(dist_barrier(.async_op = true));
            abort();
        }
}

static void messages(int rank, tensor *x)
{
    if (setjmp(back) == 0) {
        go_wrong(rank);
        dist_all_reduce(x);
        dist_synchronize();
        abort();
    }
    dist_all_reduce(x);
    if (tensor_item(x, 3) != 4)
        abort();
}

/* The default stream is held by a receive until rank 1 sends. That it sends late is only for programs that do not wait for it. */
static void copies(int rank, tensor *x)
{
    tensor *y = tensor_full(DIST_F32, 1, 4);
    dist_stream *other = dist_stream_new();
    dist_synchronize();
    if (rank == 0)
        dist_recv(tensor_zeros(DIST_F32, 4), 1, .tag = 3);
    dist_stream_use(other);
    if (setjmp(back) == 0) {
        go_wrong(rank);
        dist_stream_use(rank == 0 ? NULL : other);
        tensor_write(x, (float[]){ 2, 2, 2, 2 });
        dist_synchronize();
        abort();
    }
    dist_stream_use(other);
    if (rank == 1)
        usleep(200000);
    if (rank == 1)
        dist_send(x, 0, .tag = 3);
    tensor_write(y, (float[]){ 3, 3, 3, 3 });
    dist_stream_use(NULL);
    if (tensor_item(x, 3) != 2 || tensor_item(y, 3) != 3)
        abort();
}

static void anybody(int rank)
{
    tensor *x = tensor_zeros(DIST_F32, 4 + rank), *one = tensor_zeros(DIST_F32, 1),
           *word = tensor_to(one, DIST_HOST);
    for (volatile int i = 0; i < 2; i++)
        if (setjmp(back) == 0) {
            if (i == 0)
                go_wrong(rank);
            if (rank == 0 && i == 0)
                dist_recv(x, DIST_ANY_SOURCE, .tag = 4);
            if (rank == 0 && i == 1)
                dist_send(word, 1);
            if (rank == 1 && i == 1)
                dist_recv(word, 0);
            if (rank == 1 && i == 1)
                dist_send(x, 0, .tag = 4);
            dist_synchronize();
            abort();
        }
    tensor *made[] = { x, one, word };
    for (int i = 0; i < 3; i++)
        tensor_free(made[i]);
}

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    dist_set_error_handler(leap, NULL);
    tensor *x = tensor_full(DIST_F32, 1, 4);
    if (is("looks"))
        looks(rank, x);
    else if (is("any"))
        any(rank, x);
    else if (is("collective"))
        collective(rank);
    else if (is("copies"))
        copies(rank, x);
    else if (is("anybody"))
        anybody(rank);
    else
        messages(rank, x);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "looks";
    return dist_spawn(run, 2);
}
