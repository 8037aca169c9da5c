/* p2p.c: what sends and receives have in common: their lists, who is busy, and when to give one up. */
#include "channel.h"

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

void p2p_busy(struct shm_room *room, int number)
{
    struct peer *peer = &room->peers[number];
    if (peer->busy)
        return;
    peer->busy = true;
    peer->next = NULL;
    *room->busy_end = peer;
    room->busy_end = &peer->next;
}

void p2p_urge(struct shm_room *room, int peer)
{
    if (peer == room->rank)
        return;
    atomic_thread_fence(memory_order_seq_cst); /* the news was written with less */
    bell_ring(&slot_of(room, peer)->helper);
}

bool p2p_progress(struct shm_room *room, bool light)
{
    bool moved = sends_sweep(room);
    moved |= room->posted_any > 0 && recvs_from_anybody(room);
    for (struct peer **at = &room->busy, *peer; (peer = *at);) {
        int number = (int)(peer - room->peers);
        moved |= sends_push(room, number);
        peer->unlooked = 0;
        moved |= peer->receives > 0 && room->posted_any == 0 && recvs_drain(room, number);
        peer->busy = peer->posted.first || peer->waiting.first || peer->receives > 0;
        if (peer->busy) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        if (!*at)
            room->busy_end = at;
    }
    return room->copies.first && !light ? recvs_copy(room) : moved;
}

void p2p_drop(struct shm_room *room, struct dist_work *op)
{
    if (op->sends)
        sends_drop(room, op);
    else
        recvs_drop(room, op);
}

/* A send that nobody can take any more, because its receiver has left. */
bool p2p_hopeless(struct shm_room *room, struct dist_work *op)
{
    int peer = op->peer;
    if (peer != room->rank && atomic_load(&slot_of(room, peer)->state) < RANK_LEFT)
        return false;
    if (sends_look(room, op) || sends_push(room, peer))
        return true; /* what it took before it left still counts */
    if (room->self->untaken)
        room->self->untaken(room->self, op);
    sends_drop(room, op);
    if (eager_forget(room, op))
        room->open--;
    else
        engine_done(room, op, DIST_ERR_PEER_LOST);
    return true;
}
