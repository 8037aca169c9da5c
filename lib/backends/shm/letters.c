/* letters.c: what sends and receives have in common: their lists, who is busy, and when to give one up. */
#include "lane.h"
#include "../../devices/host.h"

#include <stdlib.h>

void queue_add(struct queue *queue, struct dist_work *op)
{
    op->next = NULL;
    op->before = queue->last;
    if (queue->last)
        queue->last->next = op;
    else
        queue->first = op;
    queue->last = op;
}

void queue_remove(struct queue *queue, struct dist_work *op)
{
    *(op->before ? &op->before->next : &queue->first) = op->next;
    *(op->next ? &op->next->before : &queue->last) = op->before;
    op->next = op->before = NULL;
}

void letters_busy(struct shm_room *room, int number)
{
    struct peer *peer = &room->peers[number];
    if (peer->busy)
        return;
    peer->busy = true;
    peer->next = NULL;
    *room->busy_end = peer;
    room->busy_end = &peer->next;
}

bool letters_progress(struct shm_room *room, bool light)
{
    bool moved = sends_sweep(room);
    for (struct peer **at = &room->busy, *peer; (peer = *at);) {
        moved |= sends_push(room, (int)(peer - room->peers));
        moved |= peer->receives > 0 && recvs_drain(room, (int)(peer - room->peers));
        peer->busy = peer->sends.first || peer->receives > 0;
        if (peer->busy) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        if (!*at)
            room->busy_end = at;
    }
    moved |= recvs_from_anybody(room);
    return room->copies.first && !light ? recvs_copy(room) : moved;
}

void letters_drop(struct shm_room *room, struct dist_work *op)
{
    if (op->sends)
        sends_drop(room, op);
    else
        recvs_drop(room, op);
}

bool letters_forget(struct shm_room *room, struct dist_work *op)
{
    if (!op->aside)
        return false;
    host_free(room->self, op->aside);
    atomic_fetch_sub(&op->group->untaken, 1);
    free(op);
    return true;
}

/* A send that nobody can take any more, because its receiver has left. */
bool letters_hopeless(struct shm_room *room, struct dist_work *op)
{
    int peer = op->peer;
    if (peer != room->rank && atomic_load(&slot_of(room, peer)->state) < RANK_LEFT)
        return false;
    if (sends_look(room, op) || sends_push(room, peer))
        return true; /* what it took before it left still counts */
    if (room->self->untaken)
        room->self->untaken(room->self, op);
    sends_drop(room, op);
    if (letters_forget(room, op))
        room->open--;
    else
        engine_done(room, op, DIST_ERR_PEER_LOST);
    return true;
}
