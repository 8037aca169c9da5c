/*
 * faulty.c: one mistake a run, by name. Lines that a report must name carry a mark: what follows the name in test_diagnose.c.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *what;
static int ranks;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

static void compute(double seconds)
{
    for (double end = dist_time() + seconds; dist_time() < end;)
        ;
}

/* Until this rank has ended. */
static void print_without_end(void)
{
    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (write(STDOUT_FILENO, "noise\n", 6) > 0)
        ;
    _exit(0);
}

static void deadlocks(int rank, tensor *a, tensor *b)
{
    int size = dist_get_world_size(), right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (is("cross") && rank < 2) {
        dist_send(a, 1 - rank); /* mark cross */
        dist_recv(b, 1 - rank);
    } else if (is("ring")) {
        dist_send(a, right); /* mark ring */
        dist_recv(b, left);
    } else if (is("tag") && rank == 0) {
        dist_send(a, 1, .tag = 3); /* mark tag-send */
    } else if (is("tag") && rank == 1) {
        dist_recv(b, 0, .tag = 4); /* mark tag */
    } else if (is("left") && rank > 0) {
        dist_barrier(); /* mark left */
    }
}

static void mistakes(int rank, tensor *a, tensor *b)
{
    if (is("order") && rank == 0)
        dist_barrier(); /* mark order-other */
    else if (is("order"))
        dist_all_reduce(a); /* mark order */
    else if (is("size") && rank == 0)
        dist_send(tensor_slice(a, 0, 3), 1);
    else if (is("size") && rank == 1)
        dist_recv(b, 0); /* mark size */
    else if (is("argument") && rank == 0)
        dist_send(a, 99); /* mark argument */
    else if (is("state") && rank == 0) {
        dist_work *work = dist_isend(a, 1);
        dist_wait(work);
        dist_wait(work); /* mark state */
    } else if (is("state") && rank == 1) {
        dist_recv(b, 0);
    }
    if (is("killed") && rank == 1)
        _exit(3);
    if (is("killed"))
        dist_barrier();
}

/* Rank 0 touches what rank 1 is to take, or has not yet sent. */
static void buffers(int rank, tensor *a, tensor *b)
{
    dist_work *out, *in;
    float *x = tensor_data(a), *y = tensor_data(b);
    out = dist_isend(a, 1 - rank); /* mark post-send */
    in = dist_irecv(b, 1 - rank);  /* mark post-recv */
    if (rank == 0 && is("set"))
        tensor_set(a, 0, 1); /* mark set */
    if (rank == 0 && is("write"))
        x[2] = 1; /* mark write */
    if (rank == 0 && is("memset"))
        memset(x, 0, 8); /* mark memset */
    if (rank == 0 && is("read"))
        x = y[2] > 0 ? x : y; /* mark read */
    if (rank == 0 && is("item"))
        tensor_item(b, 0); /* mark item */
    if (rank == 0 && is("free"))
        tensor_free(b); /* mark free */
    if (rank == 0 && is("twice"))
        dist_irecv(b, 1, .tag = 9); /* mark twice */
    if (rank == 0 && is("resend"))
        dist_send(b, 1, .tag = 9); /* mark resend */
    if (x[3] == 1e30f)             /* reading what is being sent is fine */
        abort();
    dist_wait(out);
    dist_wait(in);
    dist_barrier();
}

static void reduces_early(int rank, tensor *a)
{
    dist_work *work = dist_all_reduce(a, .async_op = true); /* mark post-reduce */
    if (rank == 0)
        tensor_add_scalar(a, 1); /* mark reduce */
    dist_wait(work);
}

static void keep_going(const struct dist_report *report, void *context)
{
    fprintf(stderr, "%s at line %d\n", dist_error_name(report->error), report->at.line);
    ++*(int *)context;
}

/* With a handler the program goes on, and the touch takes place. */
static void handles(int rank, tensor *a, tensor *b)
{
    int count = 0;
    float *x = tensor_data(a);
    dist_set_error_handler(keep_going, &count);
    dist_work *out = dist_isend(a, 1 - rank);
    if (rank == 0)
        x[2] = 7; /* mark handled */
    dist_recv(b, 1 - rank);
    dist_wait(out);
    if (rank == 0 && (x[2] != 7 || count != 1))
        abort();
}

/* Slices share pages with others' elements, which are nobody's business. */
static void neighbours(int rank)
{
    enum { COUNT = 5000, PART = 300 };
    tensor *all = tensor_zeros(DIST_F32, COUNT);
    float *x = tensor_data(all);
    for (int begin = 0; begin + 4 * PART <= COUNT; begin += PART) {
        tensor *mine = tensor_slice(all, begin, begin + PART);
        tensor *theirs = tensor_slice(all, begin + 2 * PART, begin + 3 * PART);
        dist_work *out = dist_isend(mine, 1 - rank), *in = dist_irecv(theirs, 1 - rank);
        for (int i = 0; i < COUNT; i++)
            if (i < begin || (i >= begin + PART && i < begin + 2 * PART) || i >= begin + 3 * PART)
                x[i] += 1;
        tensor *other = tensor_slice(all, begin + PART, begin + 2 * PART);
        dist_all_reduce(other);
        dist_wait(out);
        dist_wait(in);
        tensor_free(mine);
        tensor_free(theirs);
        tensor_free(other);
    }
    tensor_free(all);
}

static void leaves(int rank, tensor *a)
{
    if (is("unwaited") && rank == 0)
        dist_irecv(a, 1); /* mark unwaited */
    if (is("unwaited") && rank == 1)
        dist_send(a, 0);
    if (is("unwaited"))
        dist_barrier(); /* rank 0 must not leave before its message was sent */
    if (is("unreceived") && rank == 0)
        dist_send(a, 1); /* mark unreceived */
    if (is("unfreed") && rank == 1) {
        tensor_zeros(DIST_F64, 2, 3); /* mark unfreed */
        for (int i = 0; i < 20; i++)
            tensor_zeros(DIST_U8, 1 + i / 2); /* mark unfreed-more */
    }
    if (is("group"))
        dist_new_group(((int[]){ 0, 1 }), 2); /* mark group */
}

static void run(int rank, int size)
{
    static _Thread_local int ignored;
    dist_init_process_group();
    tensor *a = tensor_full(DIST_F32, rank, 8), *b = tensor_zeros(DIST_F32, 8);
    bool touches = is("set") || is("write") || is("memset") || is("read") || is("item") || is("free") ||
                   is("twice") || is("resend") || is("none");
    if (touches)
        buffers(rank, a, b);
    else if (is("reduce"))
        reduces_early(rank, a);
    else if (is("handled"))
        handles(rank, a, b);
    else if (is("neighbours"))
        neighbours(rank);
    else if (
        is("timed") ||
        is("noise")) { /* the last one to get stuck comes late, and says how long it took to be told so */
        dist_set_error_handler(keep_going, &ignored);
        if (is("noise") && rank == 0)
            print_without_end();
        if (rank == size - 1)
            usleep(300000);
        double start = dist_time();
        dist_recv(b, (rank + 1) % size);
        if (rank == size - 1)
            fprintf(stderr, "named after %.1f ms\n", (dist_time() - start) * 1e3);
        _exit(DIST_ERR_DEADLOCK);
    } else if (is("busy")) { /* all the others wait meanwhile */
        for (int turn = 0; turn < size; turn++) {
            if (rank == turn)
                compute(0.15);
            dist_broadcast(a, turn);
        }
    } else {
        deadlocks(rank, a, b);
        mistakes(rank, a, b);
        leaves(rank, a);
    }
    tensor_free(a);
    tensor_free(b);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    ranks = count > 2 ? atoi(words[2]) : 2;
    return dist_spawn(run, ranks);
}
