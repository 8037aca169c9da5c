/*
 * barrier.c: where the members of a group meet.
 *
 * For its k-th collective a member writes its contribution (what it calls, where its tensors lie, or the tensor itself), perhaps copies
 * a short tensor into its slot, and arrives at a barrier: it counts up `arrivals` in its contribution. It has passed when all
 * contributions to this collective have counted as far. There is no word that all write: each contribution is a line of one writer,
 * which each reader fetches once, with what it holds.
 *
 * Why it is right.
 *   Who owns which word. Contributions and slots: their member. The event count is only notified.
 *   Orders. A member writes contribution, slot and tensor, then `arrivals` (seq_cst); who sees that count (acquire) sees all written before.
 *   Waking. Each member, after it has arrived, looks whether all have; the one whose store is last in the order of seq_cst
 *   sees them all, and notifies those who sleep, maybe not alone: on the barrier's event count, or, where a contribution says that its
 *   member's engine waits (`listens`), on that rank's own.
 *   Reading slots late. There are two sets, used in turn. At collective k + 1 a member only arrives when it is through with k, if k went
 *   through slots; so nobody writes set k + 2, which is k's, before that. So it is with all in a group of more than CROWD.
 *   Reading contributions and small slots late. At a collective for which these are enough a member may arrive before its turn, while all
 *   that it is not through with are such, and fewer than AHEAD: so a burst is one meeting, where each would take a switch to every rank of
 *   a core. Who writes set k + 2 * AHEAD, which is k's, is through with k + AHEAD; there all have arrived, so all are through with k.
 *   For the same reason a count that a slow member still waits for is only replaced by a higher one.
 *   Reading and writing tensors late. A plan that touches peers' tensors is over when all parts of its work are (parts.c): `at_work`.
 * The models in tests/model/ walk through every interleaving of two and three members at this barrier (barrier.c), and before their turn (burst.c).
 */
#include "engine.h"
#include "../common/members.h"

#include <string.h>

#define NAP 100     /* ms after which a sleeper looks whether the job still stands */
#define LATER 1000u /* collectives by which a monitored_barrier decided since may be ahead */

static size_t barrier_slots_offset(int size)
{
    size_t member = barrier_sets(size) * sizeof(struct contribution) + sizeof(struct part);
    size_t end = sizeof(struct barrier) + (size_t)size * member;
    return (end + BARRIER_ALIGN - 1) / BARRIER_ALIGN * BARRIER_ALIGN;
}

size_t barrier_bytes(int size)
{
    size_t member = 2 * BARRIER_SLOT_BYTES + barrier_sets(size) * SMALL_SLOT_BYTES + sizeof(int32_t);
    return barrier_slots_offset(size) + (size_t)size * member;
}

void *barrier_slot(const struct shm_group *g, int member, uint32_t seq)
{
    size_t size = (size_t)g->group->size;
    char *slots = (char *)g->barrier + barrier_slots_offset(g->group->size);
    return slots + ((seq & 1) * size + (size_t)member) * BARRIER_SLOT_BYTES;
}

void *barrier_small_slot(const struct shm_group *g, int member, uint32_t seq)
{
    char *slots = barrier_slot(g, g->group->size, 1); /* where the others end */
    return slots + ((size_t)member * barrier_sets(g->group->size) + barrier_set(g, seq)) * SMALL_SLOT_BYTES;
}

static int32_t *barrier_members(struct barrier *barrier, int size)
{
    return (int32_t *)((char *)barrier + barrier_bytes(size) - (size_t)size * sizeof(int32_t));
}

uint64_t barrier_members_offset(const struct shm_state *shm, const struct shm_group *g)
{
    return world_offset(shm->world, barrier_members(g->barrier, g->group->size));
}

void barrier_clear(struct barrier *barrier, const struct dist_group *group)
{
    memset(barrier, 0, barrier_slots_offset(group->size));
    for (int i = 0; i < group->size; i++)
        barrier_members(barrier, group->size)[i] = group->ranks[i];
}

/* ---- the barrier ----------------------------------------------------------- */

/* How far has counted who has arrived at that collective? From this rank's turn up to it each has one barrier. */
static uint32_t barrier_count(const struct shm_group *g, uint32_t seq)
{
    return g->arrivals + (seq - g->seq);
}

/* Has this member not arrived there yet? */
static bool barrier_behind(const struct shm_group *g, int member, uint32_t seq)
{
    uint32_t count = atomic_load(&barrier_contribution(g, member, seq)->arrivals);
    return (int32_t)(count - barrier_count(g, seq)) < 0;
}

/* My neighbour first: so not all read the same line at once. */
bool barrier_passed(struct shm_group *g)
{
    if (g->at_work)
        return parts_over(g);
    int size = g->group->size, member = g->group->rank + g->seen;
    for (; g->seen < size; g->seen++, member++)
        if (barrier_behind(g, member < size ? member : member - size, g->seq))
            return false;
    return true;
}

bool barrier_deserted(const struct shm_state *shm, const struct shm_group *g)
{
    for (int i = 0; i < g->group->size; i++) /* first whether it has left: what it did before can be seen */
        if (member_has_left(shm->world, g->group->ranks[i]) && barrier_behind(g, i, g->seq))
            return true;
    return false;
}

void barrier_approach(struct shm_state *shm, struct shm_group *g)
{
    g->seen = 1;
    g->at_work = false;
    g->core = (uint8_t)cores_here(shm);
}

/* Mine is not read back: it may still be on its way to memory. Who of this rank waits, its engine notifies. */
void barrier_notify(struct shm_state *shm, const struct shm_group *g, uint32_t seq)
{
    eventcount_notify(&g->barrier->eventcount);
    for (int i = 0; i < g->group->size; i++)
        if (i != g->group->rank && barrier_contribution(g, i, seq)->listens)
            rank_notify(rank_slot_of(shm, g->group->ranks[i]));
}

static void barrier_count_up(const struct shm_group *g, uint32_t seq)
{
    struct contribution *contribution = barrier_contribution(g, g->group->rank, seq);
    atomic_store_explicit(&contribution->core, g->core, memory_order_relaxed);
    atomic_store(&contribution->arrivals, barrier_count(g, seq));
}

void barrier_arrive(struct shm_state *shm, struct shm_group *g)
{
    g->arrivals++;
    barrier_count_up(g, g->seq);
    if (barrier_passed(g))
        barrier_notify(shm, g, g->seq);
}

void barrier_arrive_ahead(struct shm_state *shm, struct shm_group *g, uint32_t seq)
{
    barrier_count_up(g, seq);
    for (int i = 0; i < g->group->size; i++)
        if (i != g->group->rank && barrier_behind(g, i, seq))
            return;
    barrier_notify(shm, g, seq);
}

void barrier_turn(struct shm_group *g, uint32_t seq)
{
    g->arrivals = barrier_count(g, seq);
    g->seq = seq;
    g->seen = 1;
}

/* Does a missing member need the core that this rank spins on? Known from where it ran at the collective before. */
static enum whereabouts barrier_of_the_missing(const struct shm_group *g)
{
    int size = g->group->size;
    if (g->at_work) /* who works on a part runs, so elsewhere */
        return ON_ANOTHER_CORE;
    for (int i = g->seen; i < size; i++) {
        int member = (g->group->rank + i) % size;
        if (atomic_load_explicit(&barrier_contribution(g, member, g->seq - 1)->core, memory_order_relaxed) ==
                g->core &&
            barrier_behind(g, member, g->seq))
            return ON_THIS_CORE;
    }
    return ON_ANOTHER_CORE;
}

enum whereabouts barrier_where(const struct dist_work *op)
{
    const struct shm_group *g = op->p2p ? NULL : op->group->state;
    const struct dist_work *first = g ? g->queue.first : NULL;
    /* Who has claimed it changes its step, and the group, without the lock. */
    bool stands = first && !first->claimed && first->step > 0;
    return stands ? barrier_of_the_missing(g) : SOMEWHERE;
}

/* ---- a monitored_barrier: only that has a deadline, never the parts of a long plan ------------------------- */

static struct absent barrier_absent(const struct shm_group *g)
{
    struct absent absent = { 0 };
    for (int i = 0; i < g->group->size; i++)
        if (barrier_behind(g, i, g->seq))
            absent_add(&absent, g->group->ranks[i]);
    return absent;
}

int barrier_timed_out(const struct shm_group *g, struct dist_work *op)
{
    struct absent absent = barrier_absent(g);
    return absent_tell(op, &absent);
}

/* All members get one answer: that of the first who has one, in its slot. Who comes when the others have gone on finds a later one, of
 * which it was no part either: so few were decided since, each without it. More is an old one, from before the numbers went round. */
static int barrier_decide(const struct shm_group *g, struct dist_work *op)
{
    uint64_t first = atomic_load(&g->barrier->decided),
             own = (uint64_t)g->seq << 32 | (uint32_t)g->group->rank;
    *(struct absent *)barrier_slot(g, g->group->rank, g->seq) = barrier_absent(g);
    while ((uint32_t)(first >> 32) - g->seq > LATER)
        if (atomic_compare_exchange_weak(&g->barrier->decided, &first, own))
            first = own;
    return absent_tell(op, barrier_slot(g, (int)(uint32_t)first, (uint32_t)(first >> 32)));
}

struct passing {
    struct shm_group *g;
    struct world *world;
};

static bool barrier_news(void *argument)
{
    struct passing *passing = argument;
    return barrier_passed(passing->g) || world_failed(passing->world);
}

bool barrier_soon(struct shm_group *g)
{
    struct backoff backoff = { 0 };
    while (!barrier_passed(g))
        if (!backoff_pass(&backoff, barrier_of_the_missing(g)))
            return false;
    return true;
}

int barrier_wait(struct shm_state *shm, struct shm_group *g, struct dist_work *op, double deadline)
{
    struct passing passing = { g, shm->world };
    bool passed = barrier_soon(g);
    while (!passed && !barrier_passed(g)) {
        if (world_failed(shm->world) && !barrier_passed(g))
            return op->status = backend_failed(shm->world, &op->why);
        double left = deadline - dist_time();
        if (deadline > 0 && left <= 0)
            break;
        notes_write(shm, op, true);
        launch_sleep(shm->self, &g->barrier->eventcount, barrier_news, &passing,
                     deadline > 0 && left < NAP / 1e3 ? (int)(left * 1e3) + 1 : NAP, deadline > 0);
    }
    return deadline > 0 ? barrier_decide(g, op) : DIST_OK;
}
