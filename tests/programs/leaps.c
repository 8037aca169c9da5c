/*
 * leaps.c: where the host waits for its GPU, a handler leaves by longjmp; and what comes then is as if that call had never been.
 * tests/test_manners.c starts it.
 *
 *   leaps looks         out of tensor_item; then all wait for each other
 *   leaps any           out of dist_wait_any; then all wait for each other, each for one message
 *   leaps collective    out of a collective of the host, before it has begun
 *   leaps messages      a collective that is done by messages waits for the stream on the way, and is not left
 */
#include "dist.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

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
