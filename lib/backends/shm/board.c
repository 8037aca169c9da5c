/*
 * board.c: where the members of a group meet.
 *
 * For its k-th collective a member pins up a card (what it calls, where its tensors lie, or the tensor itself), perhaps copies
 * a short tensor into its slot, and arrives at a barrier: it counts up `arrivals` on its card. It has passed when all
 * cards of this collective have counted as far. There is no word that all write: each card is a line of one writer,
 * which each reader fetches once, with what it holds.
 *
 * Why it is right.
 *   Who owns which word. Cards and slots: their member. The bell is only rung.
 *   Orders. A member writes card, slot and tensor, then `arrivals` (seq_cst). Whoever sees the new count (acquire)
 *   sees everything written before that arrival.
 *   Waking. Each member, after it has arrived, looks whether all have; the one whose store is last in the order of seq_cst
 *   sees them all, and rings the bell for those who sleep. (Others may see them all, too: then it is rung twice.)
 *   Reading cards and slots late. There are two sets, used in turn. Collective k + 1 begins with a barrier at which a
 *   member only arrives when it is through with k; so nobody writes set k + 2, which is k's, before that. For the same
 *   reason a count that a slow member still waits for is only replaced by a higher one.
 *   Reading and writing tensors late. A plan that touches peers' tensors is over when all parts of its work are (parts.c). What
 *   a member waits for after the barrier is that; `at_work` says so.
 * The model in tests/model/ walks through every interleaving of two and three members with this board.
 */
#define _GNU_SOURCE
#include "shm.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

static size_t board_slots_offset(int size)
{
    size_t end = sizeof(struct board) + (size_t)size * (2 * sizeof(struct card) + sizeof(struct part));
    return (end + BOARD_ALIGN - 1) / BOARD_ALIGN * BOARD_ALIGN;
}

size_t board_bytes(int size)
{
    return board_slots_offset(size) + (size_t)size * (2 * SLOT_BYTES + sizeof(int32_t));
}

void *board_slot(const struct shm_group *g, int member, uint32_t seq)
{
    size_t size = (size_t)g->group->size;
    char *slots = (char *)g->board + board_slots_offset(g->group->size);
    return slots + ((seq & 1) * size + (size_t)member) * SLOT_BYTES;
}

static int32_t *board_members(struct board *board, int size)
{
    return (int32_t *)((char *)board + board_bytes(size) - (size_t)size * sizeof(int32_t));
}

uint64_t board_members_offset(const struct shm_room *room, const struct shm_group *g)
{
    return world_offset(room->world, board_members(g->board, g->group->size));
}

void board_clear(struct board *board, const struct dist_group *group)
{
    memset(board, 0, board_slots_offset(group->size));
    for (int i = 0; i < group->size; i++)
        board_members(board, group->size)[i] = group->ranks[i];
}

/* ---- the barrier ----------------------------------------------------------- */

/* Is this member still on its way to where I stand? */
static bool board_behind(const struct shm_group *g, int member)
{
    return (int32_t)(atomic_load(&board_card(g, member, g->seq)->arrivals) - g->arrivals) < 0;
}

/* My neighbour first: so not all read the same card at once. */
bool board_passed(struct shm_group *g)
{
    if (g->at_work)
        return parts_over(g);
    int size = g->group->size, member = g->group->rank + g->seen;
    for (; g->seen < size; g->seen++, member++)
        if (board_behind(g, member < size ? member : member - size))
            return false;
    return true;
}

bool board_deserted(const struct shm_room *room, const struct shm_group *g)
{
    for (int i = 0; i < g->group->size;
         i++) /* first whether it has left: what it has done before then can be seen */
        if (atomic_load(&slot_of(room, g->group->ranks[i])->state) >= RANK_LEFT && board_behind(g, i))
            return true;
    return false;
}

void board_approach(struct shm_room *room, struct shm_group *g)
{
    cores_even_out(room, g);
    g->seen = 1;
    g->at_work = false;
    g->core = (uint8_t)sched_getcpu();
}

void board_ring(struct shm_room *room, const struct shm_group *g)
{
    bell_ring(&g->board->bell);
    if (atomic_load(&g->board->listeners))
        for (int i = 0; i < g->group->size; i++)
            rank_ring(slot_of(room, g->group->ranks[i]));
}

void board_arrive(struct shm_room *room, struct shm_group *g)
{
    struct card *card = board_card(g, g->group->rank, g->seq);
    atomic_store_explicit(&card->core, g->core, memory_order_relaxed);
    atomic_store(&card->arrivals, ++g->arrivals);
    if (board_passed(g))
        board_ring(room, g);
}

/* Does one that has not arrived wait for the very core on which this one waits for it? Where it ran at the last collective but
 * one tells. */
static enum whereabouts board_of_the_missing(const struct shm_group *g)
{
    int size = g->group->size;
    if (g->at_work) /* who works on a part runs, so elsewhere */
        return ON_ANOTHER_CORE;
    for (int i = g->seen; i < size; i++) {
        int member = (g->group->rank + i) % size;
        if (atomic_load_explicit(&board_card(g, member, g->seq)->core, memory_order_relaxed) == g->core &&
            board_behind(g, member))
            return ON_THIS_CORE;
    }
    return ON_ANOTHER_CORE;
}

/* At a barrier: only those of a monitored_barrier have a deadline, never the parts of a long plan. */
static int board_timed_out(const struct shm_group *g, struct dist_work *op)
{
    char list[160] = "";
    size_t length = 0;
    int count = 0;
    for (int i = 0; i < g->group->size; i++) {
        if (!board_behind(g, i))
            continue;
        if (length + 16 < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", count ? ", " : "",
                                       g->group->ranks[i]);
        count++;
    }
    snprintf(op->why, sizeof op->why, "rank%s %s did not come within %g s", count == 1 ? "" : "s", list,
             op->timeout);
    return op->status = DIST_ERR_TIMEOUT;
}

struct passing {
    struct shm_group *g;
    struct world *world;
};

static bool board_news(void *argument)
{
    struct passing *passing = argument;
    return board_passed(passing->g) || world_failed(passing->world);
}

bool board_soon(struct shm_group *g)
{
    struct patience patience = { 0 };
    while (!board_passed(g))
        if (!patience_pass(&patience, board_of_the_missing(g)))
            return false;
    return true;
}

int board_wait(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct passing passing = { g, room->world };
    double deadline = op->timeout > 0 ? dist_time() + op->timeout : 0;
    if (board_soon(g))
        return DIST_OK;
    while (!board_passed(g)) {
        if (world_failed(room->world) && !board_passed(g))
            return op->status = backend_failed(room->world, op);
        double left = deadline - dist_time();
        if (deadline > 0 && left <= 0)
            return board_timed_out(g, op);
        notes_write(room, op, true);
        launch_sleep(room->self, &g->board->bell, board_news, &passing,
                     deadline > 0 && left < NAP / 1e3 ? (int)(left * 1e3) + 1 : NAP, deadline > 0);
    }
    return DIST_OK;
}
