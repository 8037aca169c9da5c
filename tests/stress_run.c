/* stress_run.c: see stress_run.h. */
#define _GNU_SOURCE
#include "stress_run.h"

#include <stdlib.h>
#include <unistd.h>

#define PENDING 48
#define GROUPS 4
#define SLOPE 1000003

/* Element i of what a rank has to say in a step is told + i * SLOPE: sums of it are easy to know. */
static int64_t told(const struct exam *exam, int step, int rank)
{
    uint64_t state = exam->seed ^ (uint64_t)step << 8 ^ (uint64_t)rank;
    return (int64_t)(ref_random(&state) >> 8);
}

/* Something under way, and what must have come of it. */
struct pending {
    dist_work *work;
    tensor *out, *in; /* in: what is written; NULL: nothing to look at */
    int blocks;       /* `in` is made of equal blocks, each first[b] + i * slope */
    int64_t first[STRESS_RANKS], slope;
    int from; /* what dist_wait must give */
    const char *what;
};

struct team {
    dist_group *group;
    int ranks[STRESS_RANKS], n, me;
};

struct stress {
    struct exam *exam;
    int rank, size, step;
    uint64_t common, own;          /* dice: everybody's, this rank's */
    struct team teams[GROUPS + 1]; /* the first is the world */
    struct pending pending[PENDING];
    int count;
};

static tensor *speech(const struct stress *s, int rank, int64_t count)
{
    int64_t *data = malloc((size_t)count * sizeof *data + 1), first = told(s->exam, s->step, rank);
    for (int64_t i = 0; i < count; i++)
        data[i] = first + i * SLOPE;
    tensor *t = tensor_zeros(DIST_I64, count);
    tensor_write(t, data); /* it may lie on a GPU */
    free(data);
    return t;
}

static void look(struct stress *s, struct pending *p)
{
    int64_t count = p->in ? tensor_numel(p->in) : 0, each = p->in ? count / p->blocks : 0, i;
    int64_t *data = malloc((size_t)count * sizeof *data + 1);
    if (p->in)
        tensor_read(p->in, data);
    for (int b = 0; p->in && b < p->blocks; b++) {
        for (i = 0; i < each && data[b * each + i] == p->first[b] + i * p->slope;)
            i++;
        exam_check(s->exam, i == each, "%s: element %lld of block %d is wrong", p->what, (long long)i, b);
    }
    free(data);
    tensor_free(p->in);
    if (p->out != p->in)
        tensor_free(p->out);
}

static void finish(struct stress *s, int which)
{
    struct pending *p = &s->pending[which];
    int from = dist_wait(p->work);
    exam_check(s->exam, from == p->from, "%s: dist_wait gave %d and must give %d", p->what, from, p->from);
    look(s, p);
    s->pending[which] = s->pending[--s->count];
}

/* Keep what was started; a call without a work is over already. Room is made by waiting for some other. */
static void keep(struct stress *s, struct pending p)
{
    if (s->count == PENDING)
        finish(s, (int)ref_below(&s->own, PENDING));
    if (p.work != NULL)
        s->pending[s->count++] = p;
    else
        look(s, &p);
}

static void tell(struct stress *s, int dst, int64_t count)
{
    tensor *out = speech(s, s->rank, count);
    keep(s, (struct pending){ .work = dist_isend(out, dst, .tag = s->step), .out = out, .what = "isend" });
}

static void hear(struct stress *s, int src, int64_t count)
{
    tensor *in = tensor_zeros(DIST_I64, count);
    keep(s, (struct pending){ .work = dist_irecv(in, src, .tag = s->step),
                              .in = in,
                              .blocks = 1,
                              .from = src,
                              .first = { told(s->exam, s->step, src) },
                              .slope = SLOPE,
                              .what = "irecv" });
}

/* Some to some, as it comes. */
static void step_scattered(struct stress *s, int64_t count)
{
    for (int i = 0; i < s->size; i++) {
        int src = (int)ref_below(&s->common, s->size), dst = (int)ref_below(&s->common, s->size);
        if (dst == s->rank)
            hear(s, src, count);
        if (src == s->rank)
            tell(s, dst, count);
    }
}

/* Neighbours exchange with blocking calls. */
static void step_exchange(struct stress *s, int64_t count)
{
    int peer = s->rank ^ 1;
    if (peer >= s->size)
        return;
    tensor *out = speech(s, s->rank, count), *in = tensor_zeros(DIST_I64, count);
    if (s->rank < peer)
        dist_send(out, peer, .tag = s->step);
    dist_recv(in, peer, .tag = s->step);
    if (s->rank > peer)
        dist_send(out, peer, .tag = s->step);
    look(s, &(struct pending){ .out = out,
                               .in = in,
                               .blocks = 1,
                               .first = { told(s->exam, s->step, peer) },
                               .slope = SLOPE,
                               .what = "exchange" });
}

/* All to one, who takes them as they come. */
static void step_collect(struct stress *s, int64_t count)
{
    int sink = (int)ref_below(&s->common, s->size);
    if (s->rank != sink)
        tell(s, sink, count);
    for (int i = 1; s->rank == sink && i < s->size; i++) {
        tensor *in = tensor_zeros(DIST_I64, count);
        int from = dist_recv(in, DIST_ANY_SOURCE, .tag = s->step);
        look(s, &(struct pending){ .in = in,
                                   .blocks = 1,
                                   .first = { told(s->exam, s->step, from) },
                                   .slope = SLOPE,
                                   .what = "any source" });
    }
}

enum kind { ALL_REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, BARRIER, KINDS };

/* What must come of a collective to which everybody brings what it has told. */
static void foresee(const struct stress *s, const struct team *team, enum kind kind, int root, int64_t count,
                    struct pending *p)
{
    bool sums = kind == ALL_REDUCE || kind == REDUCE_SCATTER;
    p->blocks = kind == ALL_GATHER ? team->n : 1;
    p->slope = sums ? team->n * SLOPE : SLOPE;
    for (int i = 0; i < team->n; i++) {
        int64_t first = told(s->exam, s->step, team->ranks[i]);
        if (sums)
            p->first[0] += first;
        else if (kind == ALL_GATHER || i == root)
            p->first[kind == ALL_GATHER ? i : 0] = first;
    }
    if (kind == REDUCE_SCATTER)
        p->first[0] += p->slope * team->me * count;
}

static void step_collective(struct stress *s, int64_t count)
{
    struct team *team = &s->teams[ref_below(&s->common, GROUPS + 1)];
    enum kind kind = (enum kind)ref_below(&s->common, KINDS);
    int root = (int)ref_below(&s->common, team->n);
    bool async = ref_below(&s->common, 2);
    struct pending p = { .what = "collective" };
    if (team->me < 0)
        return;
    foresee(s, team, kind, root, count, &p);
    if (kind != BARRIER)
        p.out = p.in = speech(s, s->rank, kind == REDUCE_SCATTER ? team->n * count : count);
    if (kind == ALL_GATHER || kind == REDUCE_SCATTER)
        p.in = tensor_zeros(DIST_I64, p.blocks * count);
    if (kind == ALL_REDUCE)
        p.work = dist_all_reduce(p.in, .group = team->group, .async_op = async);
    else if (kind == BROADCAST)
        p.work = dist_broadcast(p.in, team->ranks[root], .group = team->group, .async_op = async);
    else if (kind == ALL_GATHER)
        p.work = dist_all_gather(p.in, p.out, .group = team->group, .async_op = async);
    else if (kind == BARRIER)
        p.work = dist_barrier(.group = team->group, .async_op = async);
    else
        p.work = dist_reduce_scatter(p.in, p.out, .group = team->group, .async_op = async);
    keep(s, p);
}

static void new_team(struct stress *s, struct team *team)
{
    team->n = 1 + (int)ref_below(&s->common, s->size);
    team->me = -1;
    int skip = (int)ref_below(&s->common, s->size), stride = s->size % 2 || s->size == 1 ? 1 : s->size - 1;
    for (int i = 0; i < team->n; i++) {
        team->ranks[i] = (skip + i * stride) % s->size;
        if (team->ranks[i] == s->rank)
            team->me = i;
    }
    team->group = dist_new_group(team->ranks, team->n);
}

/* One step, the same on all ranks; then whatever this rank feels like. */
static void take_step(struct stress *s, bool dawdle)
{
    static void (*const steps[])(struct stress *, int64_t) = {
        step_scattered, step_exchange, step_collect, step_collective, step_collective,
    };
    bool large = ref_below(&s->common, 12) == 0;
    int64_t count = ref_below(&s->common, large ? 30000 : 40);
    steps[ref_below(&s->common, sizeof steps / sizeof steps[0])](s, count);
    if (s->count > 0 && ref_below(&s->own, 3) == 0)
        finish(s, (int)ref_below(&s->own, s->count));
    if (dawdle && ref_below(&s->own, 40) == 0)
        usleep((useconds_t)ref_below(&s->own, 3000));
}

void stress_body(struct exam *exam, int rank, int size)
{
    const struct stress_plan *plan = exam->given;
    struct stress s = { .exam = exam, .rank = rank, .size = size };
    s.common = exam->seed;
    s.own = exam->seed + (uint64_t)rank + 1;
    s.teams[0] = (struct team){ .n = size, .me = rank };
    for (int i = 0; i < size; i++)
        s.teams[0].ranks[i] = i;
    for (int i = 1; i <= GROUPS; i++)
        new_team(&s, &s.teams[i]);
    for (s.step = 0; s.step < plan->steps; s.step++)
        take_step(&s, plan->dawdle);
    while (s.count > 0)
        finish(&s, (int)ref_below(&s.own, s.count));
    for (int i = 1; i <= GROUPS; i++)
        dist_group_free(s.teams[i].group);
}
