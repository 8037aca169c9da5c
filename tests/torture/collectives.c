/* collectives.c: steps of a random program that are collectives, and the groups for them. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

enum kind {
    BROADCAST,
    REDUCE,
    ALL_REDUCE,
    SCATTER,
    GATHER,
    ALL_GATHER,
    ALL_TO_ALL,
    REDUCE_SCATTER,
    BARRIER,
    MONITORED_BARRIER,
    KINDS
};

static const char *const names[KINDS] = { "broadcast", "reduce",           "all_reduce", "scatter",
                                          "gather",    "all_gather",       "all_to_all", "reduce_scatter",
                                          "barrier",   "monitored_barrier" };

/* A collective: what all members know of it. */
struct collective {
    enum kind kind;
    struct team *team;
    int root; /* its place in the team */
    enum dist_type type;
    enum dist_op op;
    int64_t count; /* of one block */
    bool async;
};

void team_make(struct program *p, int which)
{
    struct team *team = &p->teams[which];
    int order[MOST_RANKS];
    *team = (struct team){ .n = 1 + (int)common(p, p->size), .me = -1 };
    for (int i = 0; i < p->size; i++) {
        int j = (int)common(p, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < team->n; i++) {
        team->ranks[i] = order[i];
        if (order[i] == p->rank)
            team->me = i;
    }
    team->group = dist_new_group(team->ranks, team->n);
    p->operations++;
}

/* One group is given back, and another made in its place. */
void step_team(struct program *p)
{
    int which = 1 + (int)common(p, TEAMS - 1);
    program_finish_all(p);
    dist_group_free(p->teams[which].group);
    team_make(p, which);
}

static struct collective draw(struct program *p)
{
    static const int counts[] = { 0, 1, 3, 50, 800, 9000, 50000 };
    struct collective c = { .kind = (enum kind)common(p, KINDS),
                            .team = &p->teams[common(p, TEAMS)],
                            .type = (enum dist_type)common(p, REF_TYPES),
                            .op = (enum dist_op)common(p, REF_OPS),
                            .count = counts[common(p, 7)],
                            .async = common(p, 3) == 0 };
    int64_t most = 200000 / c.team->n / c.team->n;
    c.root = (int)common(p, c.team->n);
    c.count = c.count < most ? c.count : most;
    if (c.op == DIST_PRODUCT && c.team->n > 8 && p->plan->algorithm)
        c.op = DIST_SUM; /* of many halves it would not fit, in some orders */
    return c;
}

/* How many blocks a member brings and gets; 0: nothing, and no tensor. */
static void sizes(const struct collective *c, int *brings, int *gets)
{
    int n = c->team->n;
    bool root = c->team->me == c->root;
    *brings = c->kind == SCATTER                                   ? (root ? n : 0)
              : c->kind == ALL_TO_ALL || c->kind == REDUCE_SCATTER ? n
                                                                   : 1;
    *gets = c->kind == GATHER ? (root ? n : 0) : c->kind == ALL_GATHER || c->kind == ALL_TO_ALL ? n : 1;
}

/* What every member brings, as one array for each. */
static void **all_speeches(struct program *p, const struct collective *c, int64_t count)
{
    void **all = own_memory((size_t)c->team->n * sizeof *all);
    for (int i = 0; i < c->team->n; i++)
        all[i] = program_speech(p, c->team->ranks[i], 0, c->type, count);
    return all;
}

/* What must be in this member's result. */
static void *foresee(struct program *p, const struct collective *c, int64_t brought, int64_t got)
{
    int n = c->team->n, me = c->team->me;
    size_t block = (size_t)c->count * ref_bytes(c->type), bytes = (size_t)got * ref_bytes(c->type);
    if (c->kind == SCATTER)
        brought = n * c->count;
    char **all = (char **)all_speeches(p, c, brought), *result = own_memory(bytes);
    if (c->kind == BROADCAST)
        memcpy(result, all[c->root], bytes);
    else if (c->kind == SCATTER)
        memcpy(result, all[c->root] + (size_t)me * block, bytes);
    else if (c->kind == REDUCE && me != c->root)
        memcpy(result, all[me], bytes);
    else if (c->kind == REDUCE || c->kind == ALL_REDUCE)
        ref_reduce(c->type, c->op, result, (const void *const *)all, n, got);
    for (int i = 0; i < n && (c->kind == GATHER || c->kind == ALL_GATHER || c->kind == ALL_TO_ALL); i++)
        memcpy(result + (size_t)i * block, all[i] + (c->kind == ALL_TO_ALL ? (size_t)me * block : 0), block);
    if (c->kind == REDUCE_SCATTER) {
        const void *mine[MOST_RANKS];
        for (int i = 0; i < n; i++)
            mine[i] = all[i] + (size_t)me * block;
        ref_reduce(c->type, c->op, result, mine, n, got);
    }
    for (int i = 0; i < n; i++)
        free(all[i]);
    free(all);
    return result;
}

static dist_work *call(const struct collective *c, const struct pending *w)
{
    dist_group *g = c->team->group;
    int root = c->team->ranks[c->root];
    switch (c->kind) {
    case BROADCAST:
        return dist_broadcast(w->out, .src = root, .group = g, .async_op = c->async);
    case REDUCE:
        return dist_reduce(w->out, .dst = root, .op = c->op, .group = g, .async_op = c->async);
    case ALL_REDUCE:
        return dist_all_reduce(w->out, .op = c->op, .group = g, .async_op = c->async);
    case SCATTER:
        return dist_scatter(w->out, w->in, .src = root, .group = g, .async_op = c->async);
    case GATHER:
        return dist_gather(w->in, w->out, .dst = root, .group = g, .async_op = c->async);
    case ALL_GATHER:
        return dist_all_gather(w->out, w->in, .group = g, .async_op = c->async);
    case ALL_TO_ALL:
        return dist_all_to_all(w->out, w->in, .group = g, .async_op = c->async);
    case REDUCE_SCATTER:
        return dist_reduce_scatter(w->out, w->in, .op = c->op, .group = g, .async_op = c->async);
    case BARRIER:
        return dist_barrier(.group = g, .async_op = c->async);
    default:
        dist_monitored_barrier(.group = g);
        return NULL;
    }
}

/* Where a call has a big and a small tensor, the small one may be the member's block of the big one. */
static tensor *block_of(const struct collective *c, tensor *big)
{
    int64_t begin = c->team->me * c->count;
    return tensor_slice(big, begin, begin + c->count);
}

/* The tensors of a member: one for both ways where the call has one. */
static void make_tensors(struct program *p, const struct collective *c, struct pending *w, int brings,
                         int gets)
{
    int64_t brought = brings * c->count;
    void *words = program_speech(p, p->rank, 0, c->type, brought);
    bool in_place = own(p, 4) == 0 && brings && gets;
    w->count = gets * c->count;
    if (in_place && (c->kind == GATHER || c->kind == ALL_GATHER)) {
        w->out = program_tensor(p, w, c->type, w->count, NULL);
        w->in = block_of(c, w->out);
        tensor_write(w->in, words);
    } else if (brings) {
        w->in = program_tensor(p, w, c->type, brought, words);
    }
    free(words);
    if (c->kind <= ALL_REDUCE)
        w->out = w->in;
    else if (in_place && (c->kind == SCATTER || c->kind == REDUCE_SCATTER))
        w->out = block_of(c, w->in);
    else if (gets && !w->out)
        w->out = program_tensor(p, w, c->type, w->count, NULL);
}

void step_collective(struct program *p)
{
    struct collective c = draw(p);
    struct pending w = { .what = names[c.kind], .type = c.type, .op = c.op };
    int brings, gets;
    if (c.team->me < 0)
        return;
    sizes(&c, &brings, &gets);
    if (c.kind < BARRIER)
        make_tensors(p, &c, &w, brings, gets);
    w.work = call(&c, &w);
    bool reduces = c.kind == REDUCE || c.kind == ALL_REDUCE || c.kind == REDUCE_SCATTER;
    w.inputs = reduces && !(c.kind == REDUCE && c.team->me != c.root) ? c.team->n : 0;
    if (c.kind < BARRIER && gets)
        w.expected = foresee(p, &c, brings * c.count, w.count);
    program_keep(p, &w);
}
