/* messages.c: steps of a random program that are made of sends and receives. */
#include "program.h"

#include <stdlib.h>

/* A message: what both sides know of it. */
struct message {
    enum dist_type type;
    int64_t count;
    int tag, salt;
    dist_group *group;
    bool anybody; /* taken from whoever sends it */
};

static struct message draw(struct program *p, int salt)
{
    static const int counts[] = { 0, 1, 2, 7, 64, 700, 6000, 40000, 150000 };
    struct message m = { .type = (enum dist_type)common(p, REF_TYPES),
                         .count = counts[common(p, p->size > 12  ? 6
                                                   : p->size > 4 ? 8
                                                                 : 9)],
                         .salt = salt };
    m.tag = p->step * 128 + salt;
    return m;
}

static void tell(struct program *p, int dst, const struct message *m, bool wait)
{
    struct pending w = { .what = "isend", .type = m->type };
    void *words = program_speech(p, p->rank, m->salt, m->type, m->count);
    w.in = program_tensor(p, &w, m->type, m->count, words);
    free(words);
    if (wait)
        dist_send(w.in, dst, .tag = m->tag, .group = m->group);
    else
        w.work = dist_isend(w.in, dst, .tag = m->tag, .group = m->group);
    program_keep(p, &w);
}

static void hear(struct program *p, int src, const struct message *m, bool wait)
{
    struct pending w = {
        .what = m->anybody ? "any source" : "receive", .type = m->type, .count = m->count, .from = src
    };
    w.out = program_tensor(p, &w, m->type, m->count, NULL);
    int from = m->anybody ? DIST_ANY_SOURCE : src;
    if (!wait)
        w.work = dist_irecv(w.out, from, .tag = m->tag, .group = m->group);
    else if ((from = dist_recv(w.out, from, .tag = m->tag, .group = m->group)) != src)
        program_wrong(p, "dist_recv gave %d, must give %d", from, src);
    w.expected = program_speech(p, src, m->salt, m->type, m->count);
    program_keep(p, &w);
}

static bool has(const struct team *team, int rank)
{
    for (int i = 0; i < team->n; i++)
        if (team->ranks[i] == rank)
            return true;
    return false;
}

/* Some to some. All ranks go through the pairs in one order, so blocking calls are fine, too. */
void step_scattered(struct program *p)
{
    int pairs = 1 + (int)common(p, p->size < 12 ? p->size : 12);
    for (int i = 0; i < pairs; i++) {
        int src = (int)common(p, p->size), dst = (int)common(p, p->size), t = (int)common(p, TEAMS);
        struct message m = draw(p, i);
        m.anybody = common(p, 5) == 0;
        if (has(&p->teams[t], src) && has(&p->teams[t], dst))
            m.group = p->teams[t].group;
        if (src == dst && (p->plan->sim || m.anybody))
            continue; /* a GPU starts nothing before what it was given earlier could start */
        if (dst == p->rank)
            hear(p, src, &m, src != dst && own(p, 2));
        if (src == p->rank)
            tell(p, dst, &m, src != dst && own(p, 2));
    }
}

/* Everybody to its neighbour, both transfers started by one call. */
void step_ring(struct program *p)
{
    int stride = 1 + (int)common(p, p->size - 1);
    int to = (p->rank + stride) % p->size, from = (p->rank + p->size - stride) % p->size;
    struct message m = draw(p, 0);
    struct pending in = { .what = "batch", .type = m.type, .count = m.count, .from = from };
    struct pending out = { .what = "batch", .type = m.type };
    void *words = program_speech(p, p->rank, 0, m.type, m.count);
    in.out = program_tensor(p, &in, m.type, m.count, NULL);
    out.in = program_tensor(p, &out, m.type, m.count, words);
    free(words);
    dist_p2p_op ops[] = { { DIST_IRECV, in.out, from, m.tag, NULL },
                          { DIST_ISEND, out.in, to, m.tag, NULL } };
    dist_work *works[2];
    dist_batch_isend_irecv(ops, 2, works);
    in.expected = program_speech(p, from, 0, m.type, m.count);
    in.work = works[0];
    out.work = works[1];
    program_keep(p, &in);
    program_keep(p, &out);
}

/* All to one, who takes them as they come. */
void step_collect(struct program *p)
{
    int sink = (int)common(p, p->size);
    struct message m = draw(p, 0);
    if (p->rank != sink) {
        tell(p, sink, &m, own(p, 2));
        return;
    }
    for (int i = 1; i < p->size; i++) {
        struct pending w = { .what = "any source", .type = m.type, .count = m.count };
        w.out = program_tensor(p, &w, m.type, m.count, NULL);
        int from = dist_recv(w.out, DIST_ANY_SOURCE, .tag = m.tag);
        w.expected = program_speech(p, from, 0, m.type, m.count);
        program_keep(p, &w);
    }
}

/* From rank to rank, by blocking calls. */
void step_chain(struct program *p)
{
    struct message m = draw(p, 0);
    if (p->rank > 0)
        hear(p, p->rank - 1, &m, true);
    if (p->rank < p->size - 1)
        tell(p, p->rank + 1, &m, true);
}
