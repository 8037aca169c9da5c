/* p2p.c: what sends and receives have in common: their lists, who is busy, and when to give one up. */
#include "channel.h"
#include "../common/members.h"

void p2p_make_busy(struct shm_state *shm, struct peer *peer)
{
    peer->busy = true;
    peer->next = NULL;
    *shm->busy_end = peer;
    shm->busy_end = &peer->next;
}

void p2p_notify(struct shm_state *shm, int peer)
{
    if (peer == shm->rank)
        return;
    atomic_thread_fence(memory_order_seq_cst); /* the news was written with less */
    eventcount_notify(&rank_slot_of(shm, peer)->progress);
}

bool p2p_progress(struct shm_state *shm, bool light)
{
    bool moved = sends_sweep(shm, light);
    moved |= shm->posted_any > 0 && recvs_from_anybody(shm);
    shm->unlooked = 0;
    shm->owes = false;
    for (struct peer **at = &shm->busy, *peer; (peer = *at);) {
        int rank = (int)(peer - shm->peers);
        moved |= sends_push(shm, rank);
        peer->unlooked = 0;
        moved |= peer->receives > 0 && shm->posted_any == 0 && recvs_drain(shm, rank);
        channel_flush(shm, rank, peer);
        peer->busy = peer->posted.first || peer->waiting.first || peer->receives > 0;
        if (peer->busy) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        if (!*at)
            shm->busy_end = at;
    }
    return shm->copies.first && !light ? recvs_copy(shm) : moved;
}

void p2p_drop(struct shm_state *shm, struct dist_work *op)
{
    if (op->sends)
        sends_drop(shm, op);
    else
        recvs_drop(shm, op);
}

/* A send that nobody can take any more, because its receiver has left. */
bool p2p_hopeless(struct shm_state *shm, struct dist_work *op)
{
    if (!member_is_gone(shm->self, op->peer))
        return false;
    if (sends_look(shm, op) || sends_push(shm, op->peer))
        return true; /* what it took before it left still counts */
    if (shm->self->untaken)
        shm->self->untaken(shm->self, op);
    sends_drop(shm, op);
    if (eager_forget(shm, op))
        shm->open--;
    else
        engine_done(shm, op, DIST_ERR_PEER_LOST);
    return true;
}
