/*
 * streams.c: what can go wrong on streams, one case a run, by name: streams that are stuck, plain C that touches a GPU's
 * memory, ranks that end. Lines that a report must name carry a mark. A number behind a colon says how many streams there are.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;
static int streams = 1;

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* Every stream, the default one first, receives what nobody sends; the host waits for the last. */
static void all_receive(tensor *x, int from)
{
    dist_stream *last = NULL;
    for (int i = 0; i < streams; i++) {
        last = i > 0 ? dist_stream_new() : NULL;
        dist_stream_use(last);
        dist_recv(x, from, .tag = i); /* mark recv */
    }
    dist_stream_synchronize(last); /* mark waits-for-last */
}

/* Streams that follow each other, the first of which is stuck: the host waits for the last. */
static void chain(tensor *x, int to)
{
    dist_stream *before = NULL, *stream = NULL;
    dist_send(x, to); /* mark send */
    for (int i = 1; i < streams; i++) {
        dist_event *event = dist_event_record();
        stream = dist_stream_new();
        dist_stream_use(stream);
        dist_event_wait(event);
        tensor_add_scalar(x, 1);
        before = stream;
    }
    dist_stream_use(before);
    tensor_item(x, 0); /* mark looks */
}

static void stuck(tensor *x, int rank, int other)
{
    if (is("receive"))
        all_receive(x, other);
    if (is("chain"))
        chain(x, other);
    if (is("collective") && rank == 0)
        dist_all_reduce(x); /* mark reduce */
    if (is("collective") && rank == 1)
        dist_recv(x, other); /* mark recv-of-one */
    if (is("collective"))
        dist_synchronize(); /* mark synchronize */
    if (is("unreceived") && rank == 0)
        dist_send(x, other); /* mark unreceived */
}

static void touch(tensor *x, int rank)
{
    volatile float *p = tensor_data(x);
    if (rank == 0 && is("read"))
        p[1] = p[2]; /* mark read */
    if (rank == 0 && is("write"))
        p[3] = 1; /* mark write */
    if (rank == 0 && is("in-flight")) {
        dist_isend(x, 1);
        p[0] = 1; /* mark in-flight */
    }
    if (is("read") || is("write") || is("in-flight"))
        dist_barrier(); /* nobody leaves before */
}

static void end_early(tensor *x, int rank, int other)
{
    if (rank == 1)
        usleep(30000);
    if (rank == 1 && is("killed"))
        raise(SIGKILL);
    if (rank == 1 && is("exits"))
        _exit(3);
    if (rank == 0) {
        dist_recv(x, other);
        tensor_print(x, "x"); /* mark waits */
    }
}

static void run(int rank, int size)
{
    tensor *early = tensor_full(DIST_F32, 5, 4);
    (void)size;
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank, 8); /* mark made */
    stuck(x, rank, 1 - rank);
    touch(x, rank);
    if (is("killed") || is("exits"))
        end_early(x, rank, 1 - rank);
    if (is("unwaited") && rank == 0)
        dist_isend(x, 1); /* mark unwaited */
    if (is("unwaited") && rank == 1)
        dist_recv(x, 0);
    if (is("unfreed") && rank == 0) {
        dist_stream_use(dist_stream_new()); /* mark stream */
        dist_event_record();                /* mark event */
        dist_event_free(dist_event_record());
    }
    dist_destroy_process_group();
    if (is("after")) {
        dist_stream *stream = dist_stream_new();
        tensor_add_scalar(early, 1);
        dist_synchronize();
        dist_stream_use(stream);
        if (tensor_item(early, 3) != 6)
            abort();
        dist_stream_use(NULL);
        dist_stream_free(stream);
    }
    tensor_free(x);
    tensor_free(early);
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    char *colon = count > 1 ? strchr(words[1], ':') : NULL;
    if (colon) {
        streams = atoi(colon + 1);
        *colon = '\0';
    }
    return dist_spawn(run, 2);
}
