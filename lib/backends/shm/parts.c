/*
 * parts.c: the work of a long plan has a part for each member, claimed by compare-and-swap: each takes its own, of short tensors also others'.
 *
 * Where ranks share a core, only one of them runs. If each had to do its own part, every collective would need two switches
 * on each core: one until all have arrived, one until all have worked; and a switch takes longer than the part of a short
 * tensor. So a rank does its own part, then those of the members that wait for its core. When these come to run, the
 * collective is over, and they go on to the next. Larger parts are taken from everybody, since a core may be busy with other
 * things. The largest are left to their members: there a switch does not matter, but it does that each process then has to reach
 * all tensors' pages, and not just its own.
 *
 * Why it is right.
 *   When. All members have arrived: all inputs are written, and all outputs are wanted. A plan of one step needs no more.
 *   Who owns which word. A part's word is for whoever takes it, by compare-and-swap from the last long plan's number to this
 *   one's: so each part is done once. Its line stays with the core whose ranks take it.
 *   Orders. A member does what parts it got, then adds their number to `parts_done` (seq_cst). Whoever sees the sum (acquire),
 *   sees what all have written; additions to one word are one chain.
 *   Waking. The one whose addition makes the sum complete notifies. Who sleeps has looked at the sum after it said so.
 *   Latecomers. A member may come to its parts when the others are long gone, their tensors overwritten or freed: it finds
 *   no part to take, so it touches no tensor. The next collective's barrier waits for it, and thus the next long plan's parts.
 *   A member that dies over a part: the job has failed, which all who wait look for.
 */
#include "steps.h"

/* Bytes that a part reads and writes, about. Measured with gather, all_reduce and others on four and eight ranks. */
#define FAR_PART (64 << 10) /* below, another core's ranks are quicker at their own parts */
#define OWN_PART (1 << 20)  /* from here on, everybody is */

static inline struct part *parts_of(const struct shm_group *g, int member)
{
    int size = g->group->size;
    return (struct part *)barrier_contribution(g, (int)barrier_sets(size) * size, 0) + member;
}

static bool parts_take(struct shm_group *g, int member)
{
    struct part *part = parts_of(g, member);
    uint32_t last = atomic_load_explicit(&part->taken, memory_order_relaxed);
    return last != g->long_plans && atomic_compare_exchange_strong(&part->taken, &last, g->long_plans);
}

static uint32_t parts_do_part(struct plan_state *c, int member)
{
    if (!parts_take(c->g, member))
        return 0;
    c->rank = member;
    c->work(c);
    return 1;
}

static bool parts_on_my_core(const struct shm_group *g, int member)
{
    const struct contribution *contribution = barrier_contribution(g, member, g->seq);
    return atomic_load_explicit(&contribution->core, memory_order_relaxed) == g->core;
}

/* Of the others that run here, or of those that do not. Gives how many there were to be had. */
static uint32_t parts_do_those(struct plan_state *c, bool here)
{
    uint32_t done = 0;
    int me = c->g->group->rank;
    for (int i = 1; i < c->size; i++) {
        int member = me + i < c->size ? me + i : me + i - c->size;
        if (parts_on_my_core(c->g, member) == here)
            done += parts_do_part(c, member);
    }
    return done;
}

static uint32_t parts_all_parts(const struct shm_group *g)
{
    return g->long_plans * (uint32_t)g->group->size;
}

void parts_do(struct plan_state *c)
{
    struct shm_group *g = c->g;
    g->long_plans++;
    g->at_work = true;
    uint32_t done = parts_do_part(c, g->group->rank);
    if (c->volume < OWN_PART) {
        done += parts_do_those(c, true);
        if (c->volume >= FAR_PART)
            done += parts_do_those(c, false);
    }
    if (done > 0 && atomic_fetch_add(&g->barrier->parts_done, done) + done == parts_all_parts(g))
        barrier_notify(c->shm, g, g->seq);
}

bool parts_over(const struct shm_group *g)
{
    return (int32_t)(atomic_load(&g->barrier->parts_done) - parts_all_parts(g)) >= 0;
}
