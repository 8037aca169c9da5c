/*
 * generated_build.c: programs that are right, event by event.
 *
 * Why they cannot hang. Every rank meets its events in one order, that in which they were added. A step waits only
 * for steps of its own event or of earlier ones. So the rank that is furthest behind never waits for anybody
 * who is behind it.
 */
#include "generated.h"

#include <string.h>

/* ---- waiting ------------------------------------------------------------ */

static void wait_for(struct gen_program *p, int rank, int slot)
{
    p->open[rank][slot] = false;
    gen_add(p, rank, (struct gen_step){ .op = GEN_WAIT, .slot = slot });
}

/* Some ranks feel like waiting for some of what they have started. */
static void wait_for_some(struct gen_program *p)
{
    for (int rank = 0; rank < p->size; rank++)
        for (int slot = 0; slot < p->slot_count[rank]; slot++)
            if (p->open[rank][slot] && gen_chance(p, 3))
                wait_for(p, rank, slot);
}

static void wait_for_all(struct gen_program *p, int rank)
{
    memset(p->open[rank], 0, sizeof p->open[rank]);
    bool polls = p->fault == FAULT_NONE &&
                 gen_chance(p, 4); /* who polls for what never comes is not told of at once */
    gen_add(p, rank,
            (struct gen_step){ .op = polls              ? GEN_POLL
                                     : gen_chance(p, 3) ? GEN_WAIT_ANY
                                                        : GEN_WAIT_ALL });
}

void gen_finish(struct gen_program *p)
{
    for (int rank = 0; rank < p->size; rank++)
        wait_for_all(p, rank);
}

/* ---- events --------------------------------------------------------------------------------- */

struct gen_step gen_message(struct gen_program *p)
{
    static const int counts[] = { 1, 2, 7, 64, 700, 6000, 20000 };
    p->events++;
    return (struct gen_step){ .type = (enum dist_type)gen_dice(p, REF_TYPES),
                              .count = counts[gen_dice(p, 7)],
                              .tag = gen_chance(p, 2) ? 0 : 1 + gen_dice(p, 3),
                              .value = 1 + p->events % 100,
                              .slice = gen_chance(p, 3) };
}

static struct gen_step as(struct gen_step step, enum gen_op op, int peer)
{
    step.op = op;
    step.peer = peer;
    return step;
}

/* Up to `limit` ranks of the allowed ones, in random order. */
static int choose(struct gen_program *p, unsigned allowed, int *ranks, int limit)
{
    int n = 0;
    for (int rank = 0; rank < p->size; rank++)
        if (allowed >> rank & 1)
            ranks[n++] = rank;
    gen_shuffle(p, ranks, n);
    return n < limit ? n : limit;
}

static bool is_member(const struct gen_group *group, int rank)
{
    for (int i = 0; i < group->n; i++)
        if (group->ranks[i] == rank)
            return true;
    return false;
}

/* One sends, one receives, each blocking or not, perhaps from anybody, perhaps on a group. */
static void message(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS];
    if (choose(p, allowed, ranks, 2) < 2)
        return;
    struct gen_step m = gen_message(p);
    int g = gen_dice(p, p->group_count);
    if (is_member(&p->groups[g], ranks[0]) && is_member(&p->groups[g], ranks[1]))
        m.group = g;
    bool anybody = gen_chance(p, 5), isend = gen_chance(p, 2);
    if (anybody)
        m.tag = 1000 + p->events; /* nobody else's message may take its place */
    gen_start(p, ranks[0], as(m, isend ? GEN_ISEND : GEN_SEND, ranks[1]));
    if (isend && gen_chance(p, 3))
        gen_add(p, ranks[0], (struct gen_step){ .op = GEN_LOOK, .slot = p->slot_count[ranks[0]] - 1 });
    m.slice = gen_chance(p, 3);
    gen_start(p, ranks[1],
              as(m, gen_chance(p, 2) ? GEN_IRECV : GEN_RECV, anybody ? DIST_ANY_SOURCE : ranks[0]));
    if (m.slice && !p->where.on_device && p->open[ranks[1]][p->slot_count[ranks[1]] - 1])
        gen_add(p, ranks[1], (struct gen_step){ .op = GEN_NEIGHBOUR, .slot = p->slot_count[ranks[1]] - 1 });
}

/* Two ranks swap messages, with blocking calls: one sends first, the other receives first. */
static void swap(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS];
    if (choose(p, allowed, ranks, 2) < 2)
        return;
    struct gen_step there = gen_message(p), back = gen_message(p);
    gen_start(p, ranks[0], as(there, GEN_SEND, ranks[1]));
    gen_start(p, ranks[0], as(back, GEN_RECV, ranks[1]));
    gen_start(p, ranks[1], as(there, GEN_RECV, ranks[0]));
    gen_start(p, ranks[1], as(back, GEN_SEND, ranks[0]));
}

/* Some ranks form a ring; each starts both transfers at once, in one call or two, and waits. One alone talks to itself. */
static void ring(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS], n = choose(p, allowed, ranks, 1 + gen_dice(p, p->size));
    struct gen_step m = gen_message(p);
    m.tag = 1000 + p->events;
    m.batch = gen_chance(p, 2) ? p->events : 0;
    for (int i = 0; i < n; i++) {
        gen_start(p, ranks[i], as(m, GEN_IRECV, ranks[(i + n - 1) % n]));
        gen_start(p, ranks[i], as(m, GEN_ISEND, ranks[(i + 1) % n]));
        if (gen_chance(p, 2))
            wait_for_all(p, ranks[i]);
    }
}

/* A chain of blocking calls. */
static void chain(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS], n = choose(p, allowed, ranks, p->size);
    struct gen_step m = gen_message(p);
    for (int i = 0; i < n; i++) {
        if (i > 0)
            gen_start(p, ranks[i], as(m, GEN_RECV, ranks[i - 1]));
        if (i < n - 1)
            gen_start(p, ranks[i], as(m, GEN_SEND, ranks[i + 1]));
    }
}

struct gen_step gen_collective(struct gen_program *p, int group, bool in_tail)
{
    static const int counts[] = { 1, 3, 50, 800, 9000 };
    int ops = GEN_MONITORED_BARRIER - GEN_BROADCAST + (in_tail ? 0 : 1);
    const struct gen_group *members = &p->groups[group];
    struct gen_step step = { .op = (enum gen_op)(GEN_BROADCAST + gen_dice(p, ops)),
                             .group = group,
                             .type = (enum dist_type)gen_dice(p, REF_TYPES),
                             .count = counts[gen_dice(p, 5)],
                             .reduction = (enum dist_op)gen_dice(p, REF_OPS),
                             .peer = members->ranks[gen_dice(p, members->n)] };
    step.async = step.op != GEN_MONITORED_BARRIER && gen_chance(p, 3);
    return step;
}

void gen_collective_by_all(struct gen_program *p, struct gen_step step)
{
    for (int i = 0; i < p->groups[step.group].n; i++)
        gen_start(p, p->groups[step.group].ranks[i], step);
}

static void collective(struct gen_program *p, unsigned allowed)
{
    int g = gen_dice(p, p->group_count);
    for (int i = 0; i < p->groups[g].n; i++)
        if (!(allowed >> p->groups[g].ranks[i] & 1))
            return;
    gen_collective_by_all(p, gen_collective(p, g, false));
}

/* A halo: neighbours in a ring swap again and again, always alike, each round waited for. */
static void rounds(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS], n = choose(p, allowed, ranks, p->size), times = 2 + gen_dice(p, 2);
    struct gen_step m = gen_message(p);
    m.tag = 1000 + p->events;
    for (int round = 0; round < times; round++)
        for (int i = 0; i < n && n > 2; i++) {
            gen_start(p, ranks[i], as(m, GEN_IRECV, ranks[(i + n - 1) % n]));
            gen_start(p, ranks[i], as(m, GEN_ISEND, ranks[(i + 1) % n]));
            wait_for_all(p, ranks[i]);
        }
}

/* All tell one, who takes them as they come: they are alike, so any order is right. Checked mode would warn of luck. */
static void funnel(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS], n = choose(p, allowed, ranks, p->size);
    struct gen_step m = gen_message(p);
    m.tag = 1000 + p->events;
    for (int i = 1; i < n && !p->where.checked; i++)
        gen_start(p, ranks[i], as(m, gen_chance(p, 2) ? GEN_ISEND : GEN_SEND, ranks[0]));
    for (int i = 1; i < n && !p->where.checked; i++)
        gen_start(p, ranks[0], as(m, gen_chance(p, 2) ? GEN_IRECV : GEN_RECV, DIST_ANY_SOURCE));
}

/* Several collectives are under way at once, in one group or in several. */
static void collectives(struct gen_program *p, unsigned allowed)
{
    for (int i = 2 + gen_dice(p, 2); i > 0 && allowed == GEN_ALL(p); i--) {
        struct gen_step step = gen_collective(p, gen_dice(p, p->group_count), true);
        step.async = true;
        gen_collective_by_all(p, step);
    }
}

static void compute(struct gen_program *p, unsigned allowed)
{
    int ranks[GEN_RANKS];
    if (choose(p, allowed, ranks, 1) == 1)
        gen_add(p, ranks[0], (struct gen_step){ .op = GEN_COMPUTE, .count = 1 + gen_dice(p, 500) });
}

void gen_events(struct gen_program *p, unsigned allowed, int count)
{
    static void (*const events[])(struct gen_program *,
                                  unsigned) = { message,    message, swap,   ring,   chain,      collective,
                                                collective, compute, rounds, funnel, collectives };
    for (int i = 0; i < count; i++) {
        events[gen_dice(p, sizeof events / sizeof events[0])](p, allowed);
        wait_for_some(p);
    }
}
