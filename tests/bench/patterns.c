/*
 * patterns.c: how programs really talk: many messages under way, several peers at once, chains, groups, collectives in the background.
 *
 *   window      64 isends against 64 irecvs, then one answer; rank 2k to 2k + 1
 *   tags        the same, each with a tag of its own, received in the other order
 *   sizes       the same, of a quarter of the size, a sixteenth, ... and the whole size in turn
 *   unexpected  a window whose receives are posted when its messages are there
 *   anybody     everybody's isends against rank 0's irecvs from anybody
 *   exchange    each with each other, all at once
 *   shift       to the next, from the previous
 *   halo        to both neighbours, and from both
 *   chain       rank 0 sends 64, all others pass them on; the last answers: a hop
 *   background  an all_reduce that is started, and then waited for
 *   burst       eight that are started, and then waited for, as for the buckets of a gradient: one of them
 *   group       a ping-pong in a group that is not the world; after: in the world, after an all_reduce in the background
 *
 * A case whose name ends in _eager is the same: bench.sh lets us buffer up to 4 KiB then, as MPI does always.
 */
#define _GNU_SOURCE
#include "patterns.h"
#include "timing.h"

#include <string.h>

/* ---- windows ---------------------------------------------------------------------- */

static void windows(struct job *job, int turn, int tags)
{
    struct pattern *p = job->notes;
    int peer = job->rank ^ 1, sends = job->rank % 2 == 0;
    if (peer >= job->size)
        return;
    for (int i = 0; i < WINDOW; i++) {
        int k = sends || !tags ? i : WINDOW - 1 - i;
        if (sends)
            set(&p->cells[k], mark(turn, k, job->rank));
        p->requests[k] = sends ? side_isend(&p->cells[k], peer, tags ? k : 0)
                               : side_irecv(&p->cells[k], peer, tags ? k : 0);
    }
    side_wait_all(p->requests, WINDOW);
    if (sends) {
        side_recv(&p->answer, peer);
        return;
    }
    for (int k = 0; k < WINDOW; k++)
        see(job, &p->cells[k], mark(turn, k, peer));
    side_send(&p->answer, peer);
}

static void window(struct job *job, int turn)
{
    windows(job, turn, 0);
}

static void tags(struct job *job, int turn)
{
    windows(job, turn, 1);
}

/* What comes last is received first: then the others are there, and none was asked for. */
static void unexpected(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    int peer = job->rank ^ 1, sends = job->rank % 2 == 0;
    side_request *last = &p->requests[WINDOW];
    if (peer >= job->size)
        return;
    if (!sends) {
        *last = side_irecv(&p->answer, peer, 1);
        side_wait_all(last, 1);
    }
    for (int k = 0; k < WINDOW; k++) {
        if (sends)
            set(&p->cells[k], mark(turn, k, job->rank));
        p->requests[k] = sends ? side_isend(&p->cells[k], peer, 0) : side_irecv(&p->cells[k], peer, 0);
    }
    if (sends)
        *last = side_isend(&p->answer, peer, 1);
    side_wait_all(p->requests, WINDOW + sends);
    for (int k = 0; k < WINDOW && !sends; k++)
        see(job, &p->cells[k], mark(turn, k, peer));
    sends ? side_recv(&p->answer, peer) : side_send(&p->answer, peer);
}

static void chain(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    int me = job->rank, last = job->size - 1;
    for (int k = 0; k < WINDOW; k++) {
        if (me == 0)
            set(&p->cells[k], mark(turn, k, 0));
        else
            side_recv(&p->cells[k], me - 1);
        see(job, &p->cells[k], mark(turn, k, 0));
        if (me < last)
            side_send(&p->cells[k], me + 1);
    }
    if (me == 0)
        side_recv(&p->answer, last);
    else if (me == last)
        side_send(&p->answer, 0);
}

/* ---- in the background, in a group ---------------------------------------------------- */

static void background(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    set(&p->whole, (float)(job->rank + (turn & 7)));
    p->requests[0] = side_iall_reduce(&p->whole);
    side_wait_all(p->requests, 1);
    see(job, &p->whole, (float)(job->size * (job->size - 1) / 2 + job->size * (turn & 7)));
}

static void burst(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    for (int k = 0; k < BURST; k++) {
        set(&p->cells[k], (float)(job->rank + ((turn + k) & 7)));
        p->requests[k] = side_iall_reduce(&p->cells[k]);
    }
    side_wait_all(p->requests, BURST);
    for (int k = 0; k < BURST; k++)
        see(job, &p->cells[k], (float)(job->size * (job->size - 1) / 2 + job->size * ((turn + k) & 7)));
}

static void rally(struct job *job, int turn)
{
    struct pattern *p = job->notes;
    if (job->rank > 1)
        return;
    if (job->rank == 0) {
        set(&p->whole, mark(turn, 0, 0));
        side_send(&p->whole, 1);
    } else {
        side_recv(&p->whole, 0);
        p->whole.x[0]++;
        p->whole.x[p->whole.count - 1] = p->whole.x[0];
        side_send(&p->whole, 0);
    }
    if (job->rank == 0) {
        side_recv(&p->whole, 1);
        see(job, &p->whole, mark(turn, 0, 0) + 1);
    }
}

/* ---- all cases ------------------------------------------------------------------------- */

static const struct shape {
    const char *name;
    timed_call *call;
    int cells; /* tensors of the size */
} shapes[] = {
    { "window", window, WINDOW },    { "tags", tags, WINDOW },   { "sizes", window, WINDOW },
    { "anybody", anybody, WINDOW },  { "shift", shift, WINDOW }, { "exchange", exchange, WINDOW },
    { "chain", chain, WINDOW },      { "group", rally, 1 },      { "after", rally, 1 },
    { "background", background, 1 }, { "halo", halo, WINDOW },   { "unexpected", unexpected, WINDOW },
    { "burst", burst, BURST },
};
#define SHAPES (int)(sizeof shapes / sizeof shapes[0])

/* How many messages, one after another or at once, a call is. */
static int messages_of(const struct job *job, const struct shape *shape)
{
    if (shape->call == chain)
        return WINDOW * (job->size - 1);
    if (shape->call == exchange)
        return job->size - 1;
    if (shape->call == anybody)
        return WINDOW / (job->size - 1) * (job->size - 1);
    if (shape->call == burst)
        return BURST;
    return shape->call == rally || shape->call == halo      ? 2
           : shape->cells == WINDOW && shape->call != shift ? WINDOW
                                                            : 1;
}

static void prepare(struct job *job, struct pattern *p, const struct shape *shape)
{
    side_new(&p->whole, job->count * shape->cells);
    side_new(&p->answer, 1);
    for (int k = 0; k < shape->cells && shape->cells > 1; k++) {
        long count = strcmp(shape->name, "sizes") == 0 ? job->count >> k % 4 * 2 : job->count;
        side_view(&p->cells[k], &p->whole, k * job->count, count > 0 ? count : 1);
    }
    if (strcmp(shape->name, "after") == 0) {
        p->requests[0] = side_iall_reduce(&p->answer);
        side_wait_all(p->requests, 1);
    }
    side_in_group(strcmp(shape->name, "group") == 0);
}

int patterns_run(struct job *job)
{
    struct pattern p;
    size_t length = strcspn(job->name, "_");
    int i = 0;
    while (i < SHAPES && (strncmp(job->name, shapes[i].name, length) != 0 || shapes[i].name[length] != '\0'))
        i++;
    if (i == SHAPES || (job->name[length] && strcmp(job->name + length, "_eager") != 0))
        return 0;
    if (job->size < 2 || job->size > WINDOW / 2)
        bench_has_not();
    job->notes = &p;
    prepare(job, &p, &shapes[i]);
    double us = pace(job, shapes[i].call);
    if (job->rank == 0)
        tell(job->name, job->size, job->bytes, us / messages_of(job, &shapes[i]), "us");
    for (int k = 0; k < shapes[i].cells && shapes[i].cells > 1; k++)
        side_free(&p.cells[k]);
    side_in_group(0);
    side_free(&p.answer);
    side_free(&p.whole);
    return 1;
}
