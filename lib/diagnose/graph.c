/*
 * graph.c: who waits for whom.
 *
 * A rank that sends or receives waits for one peer; a receive from anybody waits for any one of the others; a rank in
 * a collective waits for every member that has not arrived at it yet; and one in dist_wait_any for any one of several of these. That
 * nobody can move is known before anybody asks for whom (stuck.c): so a way round through one of several is no guess.
 */
#include "diagnose.h"

#include <stdlib.h>

bool diagnosis_open(struct diagnosis *d, const struct world *world)
{
    *d = (struct diagnosis){ .world = world, .size = world->header->size };
    d->views = calloc((size_t)d->size, sizeof *d->views);
    return d->views != NULL;
}

bool has_left(const struct view *view)
{
    return view->state >= RANK_LEFT;
}

bool waits(const struct view *view)
{
    return !has_left(view) && view->count > 0;
}

int next_awaited(const struct view *view, int i)
{
    int count = waits(view) ? view->count : 0;
    while (++i < count && i < NOTE_OPS)
        if (i == 0 || (view->open[i].among && !view->open[i].behind))
            return i;
    return -1;
}

bool waits_for_any(const struct view *view)
{
    return next_awaited(view, 0) > 0;
}

bool needs_only_one(const struct view *view)
{
    return waits_for_any(view) ||
           (waits(view) && view->open[0].kind == NOTE_RECV && view->open[0].peer == DIST_ANY_SOURCE);
}

bool in_collective(const struct note_op *op)
{
    return op->kind == NOTE_COLLECTIVE || (op->kind != NOTE_UNEXPECTED && op->tag < 0);
}

static bool graph_is_member(const struct diagnosis *d, const struct note_op *op, int rank)
{
    if (op->members == 0)
        return true;
    const int32_t *members = world_at(d->world, op->members);
    for (int i = 0; i < op->size; i++)
        if (members[i] == rank)
            return true;
    return false;
}

static bool graph_has_arrived(const struct view *view, const struct note_op *op)
{
    for (int i = 0; i < view->count; i++) {
        const struct note_op *own = &view->open[i];
        if (own->kind == NOTE_COLLECTIVE && own->group == op->group && own->arrived && own->seq == op->seq)
            return true;
    }
    return false;
}

/* Of a group's collectives only the first is under way: who waits for one behind it waits for those whom that one needs. */
static const struct note_op *graph_under_way(const struct view *view, const struct note_op *op)
{
    for (int i = 0; i < view->count && op->kind == NOTE_COLLECTIVE; i++) {
        const struct note_op *own = &view->open[i];
        if (own->kind == NOTE_COLLECTIVE && own->group == op->group && own->seq < op->seq)
            op = own;
    }
    return op;
}

/* Does this operation of `rank` need something of `peer`? */
static bool graph_needs(const struct diagnosis *d, int rank, const struct note_op *op, int peer)
{
    op = graph_under_way(&d->views[rank], op);
    if (op->kind == NOTE_COLLECTIVE)
        return peer != rank && graph_is_member(d, op, peer) && !graph_has_arrived(&d->views[peer], op);
    if (op->peer == DIST_ANY_SOURCE)
        return peer != rank && graph_is_member(d, op, peer);
    return op->peer == peer;
}

const struct note_op *awaited_of(const struct diagnosis *d, int rank, int peer)
{
    const struct view *view = &d->views[rank];
    for (int i = -1; (i = next_awaited(view, i)) >= 0;)
        if (graph_needs(d, rank, &view->open[i], peer))
            return &view->open[i];
    return NULL;
}

bool waits_for(const struct diagnosis *d, int rank, int peer)
{
    if (!waits(&d->views[rank]))
        return false;
    return d->replay ? replay_waits_for(d->replay, rank, peer) : awaited_of(d, rank, peer) != NULL;
}

struct walk {
    int first[WORLD_MAX_RANKS],
        last[WORLD_MAX_RANKS]; /* of those that wait, too, and that a rank waits for; -1: none */
    int order[WORLD_MAX_RANKS], path[WORLD_MAX_RANKS];
};

/* Once: asked anew in each step of each walk, a cycle of a thousand ranks takes half a minute. */
static void graph_look_around(const struct diagnosis *d, struct walk *walk)
{
    for (int rank = 0; rank < d->size; rank++) {
        walk->first[rank] = walk->last[rank] = -1;
        for (int peer = 0; peer < d->size && waits(&d->views[rank]); peer++)
            if (waits(&d->views[peer]) && waits_for(d, rank, peer)) {
                walk->first[rank] = walk->first[rank] < 0 ? peer : walk->first[rank];
                walk->last[rank] = peer;
            }
    }
}

/* Walk from a rank to the first that it waits for, and so on, until a rank comes up again: the cycle. */
static void graph_walk(struct diagnosis *d, int start, struct walk *walk)
{
    int *order = walk->order, *path = walk->path, length = 0, rank = start;
    for (int i = 0; i < d->size; i++)
        order[i] = -1;
    while (rank >= 0 && order[rank] < 0) {
        order[rank] = length;
        path[length++] = rank;
        int next = walk->first[rank];
        /* of several peers, one that closes the cycle is told first */
        for (int i = 0; i < length && walk->first[rank] != walk->last[rank]; i++)
            if (waits_for(d, rank, path[i]))
                next = path[i];
        rank = next;
    }
    if (rank < 0)
        return;
    int begin = order[rank], count = length - begin;
    if (d->cycle_length > 0 && count >= d->cycle_length)
        return;
    int lowest = 0;
    for (int i = 0; i < count; i++)
        if (path[begin + i] < path[begin + lowest])
            lowest = i;
    for (int i = 0; i < count; i++)
        d->cycle[i] = path[begin + (lowest + i) % count];
    d->cycle_length = count;
}

void find_cycle(struct diagnosis *d)
{
    struct walk walk;
    graph_look_around(d, &walk);
    for (int rank = 0; rank < d->size; rank++)
        if (waits(&d->views[rank]) && d->cycle_length != 1)
            graph_walk(d, rank, &walk);
}

bool in_cycle(const struct diagnosis *d, int rank)
{
    for (int i = 0; i < d->cycle_length; i++)
        if (d->cycle[i] == rank)
            return true;
    return false;
}
