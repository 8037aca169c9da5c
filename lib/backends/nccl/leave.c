/*
 * leave.c: a rank gives up what is not agreed on: one op whose time is up, or all, where it has failed or leaves. Its messages
 * are to be taken before it leaves, and its collectives to be over, but for those that nobody will come for any more.
 */
#include "agree.h"

void nccl_leave_late(struct nccl_state *nccl, struct dist_work *op)
{
    struct absent absent = { 0 };
    nccl_agree_lock(nccl->shared);
    table_absent(nccl->shared, op, &absent);
    pthread_mutex_unlock(&nccl->shared->lock);
    nccl_agree_withdraw(nccl, op);
    queue_remove(&nccl->shown, op);
    absent_tell(op, &absent);
    nccl_launch_end(nccl, op, DIST_ERR_TIMEOUT);
}

/* Has somebody left who is needed, and has not come? */
static bool nccl_leave_is_deserted(struct nccl_state *nccl, const struct dist_work *op)
{
    if (world_over(&nccl->self->world))
        return true;
    if (op->p2p)
        return op->sends && member_is_gone(nccl->self, op->peer);
    nccl_agree_lock(nccl->shared);
    bool deserted = false;
    for (int place = 0; place < op->group->size && !deserted; place++)
        deserted =
            member_is_gone(nccl->self, op->group->ranks[place]) && !table_has_come(nccl->shared, op, place);
    pthread_mutex_unlock(&nccl->shared->lock);
    return deserted;
}

/* Give up what nobody will come for any more. True: something of this rank is still needed. */
static bool nccl_leave_is_busy(struct nccl_state *nccl)
{
    bool busy = nccl->posted.first || nccl->agreed.first || nccl->flying.first;
    for (struct dist_work **at = &nccl->shown.first, *op; (op = *at);) {
        if (!nccl_leave_is_deserted(nccl, op)) {
            busy |= !op->p2p || op->sends;
            at = &op->next;
            continue;
        }
        queue_take(&nccl->shown, at);
        nccl_agree_withdraw(nccl, op);
        if (op->p2p && nccl->self->untaken)
            nccl->self->untaken(nccl->self, op);
        nccl_launch_end(nccl, op, DIST_ERR_PEER_LOST);
    }
    return busy;
}

static bool nccl_leave_is_free(void *argument)
{
    struct nccl_state *nccl = argument;
    nccl_lock(nccl);
    nccl->asked = true;
    while (nccl_progress_drive(nccl))
        ;
    bool busy = nccl_leave_is_busy(nccl) && !nccl->failed;
    nccl_unlock(nccl);
    return !busy;
}

/* What is left then are receives that nobody has sent for. */
void nccl_leave_wait(struct nccl_state *nccl)
{
    while (!nccl_leave_is_free(nccl)) {
        nccl_lock(nccl);
        nccl_watch_look(nccl);
        nccl_unlock(nccl);
        nccl_watch_sleep(nccl, NULL, nccl_leave_is_free, nccl, false);
    }
    nccl_progress_stop(nccl);
    nccl_agree_withdraw(nccl, NULL);
    for (struct dist_work *op; (op = nccl->shown.first);)
        nccl_launch_end(nccl, queue_take(&nccl->shown, &nccl->shown.first), DIST_ERR_PEER_LOST);
}
