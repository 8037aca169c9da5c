/*
 * board.c: where the members of a group meet.
 *
 * For its k-th collective a member pins up a card (what it calls, where its tensors lie), perhaps copies a short
 * tensor into its slot, and arrives at the barrier. The barrier is one counter and one phase: the last to
 * arrive sets the counter back and strikes the phase bell, which wakes all with one system call.
 *
 * Why it is right.
 *   Who owns which word. Cards and slots: their member. The counter: everyone, by fetch_add. The phase: the last
 *   to arrive, which is one thread.
 *   Orders. A member writes card, slot and tensor, then arrives (seq_cst). The last one's fetch_add has read all of
 *   them, so its strike of the phase comes after; whoever sees the new phase sees everything written before any
 *   arrival.
 *   Setting the counter back. Nobody arrives for the next barrier before it saw this phase, which is struck
 *   after the counter was set back.
 *   Reading cards and slots late. There are two sets, used in turn. Collective k + 1 begins with a barrier that a
 *   member only reaches when it is through with k; so nobody writes set k + 2, which is k's, before that.
 *   Reading tensors late. Plans that read a peer's tensor end with a barrier.
 */
#include "shm.h"

#include <stdio.h>
#include <string.h>

#define NAP 100 /* ms after which a sleeper looks whether the job still stands */

size_t board_bytes(int size)
{
    return sizeof(struct board) + 2 * (size_t)size * (sizeof(struct card) + SLOT_BYTES);
}

struct card *board_card(const struct shm_group *g, int member, uint32_t seq)
{
    struct card *cards = (struct card *)(g->board + 1);
    return &cards[(seq & 1) * (uint32_t)g->group->size + (uint32_t)member];
}

void *board_slot(const struct shm_group *g, int member, uint32_t seq)
{
    size_t size = (size_t)g->group->size;
    char *slots = (char *)((struct card *)(g->board + 1) + 2 * size);
    return slots + ((seq & 1) * size + (size_t)member) * SLOT_BYTES;
}

/* ---- the barrier ----------------------------------------------------------- */

uint32_t board_arrive(struct shm_room *room, struct shm_group *g)
{
    struct board *board = g->board;
    uint32_t phase = atomic_load_explicit(&board->phase.rings, memory_order_relaxed);
    if (atomic_fetch_add(&board->arrived, 1) + 1 < (uint32_t)g->group->size)
        return phase;
    atomic_store_explicit(&board->arrived, 0, memory_order_relaxed);
    bell_strike(&board->phase);
    if (atomic_load(&board->listeners))
        for (int i = 0; i < g->group->size; i++)
            rank_ring(slot_of(room, g->group->ranks[i]));
    return phase;
}

bool board_passed(const struct shm_group *g, uint32_t phase)
{
    return atomic_load_explicit(&g->board->phase.rings, memory_order_acquire) != phase;
}

/* A member that has not pinned its card for this collective, and `gone`: has left the job. -1: there is none. */
static int find_missing(struct shm_room *room, struct shm_group *g, bool gone, int from)
{
    for (int i = from; i < g->group->size; i++) {
        bool left = atomic_load(&slot_of(room, g->group->ranks[i])->state) >= RANK_LEFT;
        if (gone && !left)
            continue;
        if (atomic_load(&board_card(g, i, g->seq)->seq) != g->seq)
            return i;
    }
    return -1;
}

bool board_hopeless(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    int missing = op->step > 0 ? find_missing(room, g, true, 0) : -1;
    if (missing < 0 || board_passed(g, op->phase))
        return false;
    snprintf(op->why, sizeof op->why, "rank %d has left the job without the matching call",
             g->group->ranks[missing]);
    op->status = DIST_ERR_PEER_LOST;
    return true;
}

static int timed_out(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    char list[160] = "";
    size_t length = 0;
    int count = 0;
    for (int i = find_missing(room, g, false, 0); i >= 0; i = find_missing(room, g, false, i + 1), count++)
        if (length + 16 < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", count ? ", " : "",
                                       g->group->ranks[i]);
    snprintf(op->why, sizeof op->why, "rank%s %s did not come within %g s", count == 1 ? "" : "s", list,
             op->timeout);
    return op->status = DIST_ERR_TIMEOUT;
}

struct passing {
    struct shm_group *g;
    uint32_t phase;
    struct world *world;
};

static bool passed(void *argument)
{
    struct passing *passing = argument;
    return board_passed(passing->g, passing->phase) || world_failed(passing->world);
}

int board_wait(struct shm_room *room, struct shm_group *g, uint32_t phase, struct dist_work *op)
{
    struct patience patience = { 0 };
    struct passing passing = { g, phase, room->world };
    double deadline = op->timeout > 0 ? dist_time() + op->timeout : 0;
    while (!board_passed(g, phase)) {
        if (patience_spin(&patience))
            continue;
        if (!room->self->watched)
            world_check_peers(room->world, room->rank);
        if (world_failed(room->world) && !board_passed(g, phase))
            return op->status = engine_failed(room, op);
        if (board_hopeless(room, g, op))
            return op->status;
        double left = deadline - dist_time();
        if (deadline > 0 && left <= 0)
            return timed_out(room, g, op);
        bell_sleep(&g->board->phase, passed, &passing,
                   deadline > 0 && left < NAP / 1e3 ? (int)(left * 1e3) + 1 : NAP);
    }
    return DIST_OK;
}

/* ---- cards ------------------------------------------------------------------- */

void board_pin(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    struct card *card = board_card(g, g->group->rank, g->seq);
    card->call = (uint8_t)op->call;
    card->type = (uint8_t)op->type;
    card->op = (uint8_t)op->op;
    card->root = op->peer;
    card->site = op->site;
    card->count = (uint64_t)op->block;
    card->in = world_offset(room->world, op->in.data);
    card->out = world_offset(room->world, op->out.data);
    atomic_store_explicit(&card->seq, g->seq, memory_order_release);
}

/* How card b differs from card a, as the two halves of "rank 2 <b>, rank 0 <a>". False: not at all. */
static bool differ(const struct card *a, const struct card *b, char *say_a, char *say_b, size_t size)
{
    if (a->call != b->call) {
        snprintf(say_a, size, "calls %s", call_name(a->call));
        snprintf(say_b, size, "calls %s", call_name(b->call));
    } else if (a->call == CALL_NEW_GROUP && a->count != b->count) {
        snprintf(say_a, size, "lists other ranks");
        snprintf(say_b, size, "lists these");
    } else if (a->type != b->type) {
        snprintf(say_a, size, "has a tensor of %s", dtype_name(a->type));
        snprintf(say_b, size, "has a tensor of %s", dtype_name(b->type));
    } else if (a->count != b->count) {
        snprintf(say_a, size, "has %llu elements", (unsigned long long)a->count);
        snprintf(say_b, size, "has %llu elements", (unsigned long long)b->count);
    } else if (a->root != b->root) {
        snprintf(say_a, size, "names %d as the root", a->root);
        snprintf(say_b, size, "names %d as the root", b->root);
    } else if (a->op != b->op) {
        snprintf(say_a, size, "asks for %s", op_name(a->op));
        snprintf(say_b, size, "asks for %s", op_name(b->op));
    } else {
        return false;
    }
    return true;
}

int board_check(struct shm_room *room, struct shm_group *g, struct dist_work *op)
{
    const struct card *first = board_card(g, 0, g->seq);
    for (int i = 1; i < g->group->size; i++) {
        const struct card *card = board_card(g, i, g->seq);
        char a[48], b[48];
        if (!differ(first, card, a, b, sizeof a))
            continue;
        const struct site *at_a = world_site_at(room->world, g->group->ranks[0], first->site);
        const struct site *at_b = world_site_at(room->world, g->group->ranks[i], card->site);
        snprintf(op->why, sizeof op->why, "rank %d %s (%s:%d), rank %d %s (%s:%d)", g->group->ranks[0], a,
                 at_a->file, at_a->line, g->group->ranks[i], b, at_b->file, at_b->line);
        return op->status = DIST_ERR_MISMATCH;
    }
    return DIST_OK;
}
