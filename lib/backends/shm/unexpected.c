/* unexpected.c: messages that came before their receive: the receiver's private copies of their envelopes, used again. */
#include "channel.h"

#include <stdlib.h>

/* A private copy of an envelope; one that nobody has numbered is the youngest. */
struct unexpected *unexpected_new(struct shm_state *shm, int src, const struct envelope *envelope)
{
    struct unexpected *copy = shm->unexpected_kept;
    if (copy)
        shm->unexpected_kept = copy->next;
    else if (!(copy = malloc(sizeof *copy)))
        return NULL;
    uint64_t arrival = channel_arrival(shm, src, envelope);
    copy->src = src;
    copy->arrival = arrival != UINT64_MAX ? arrival : channel_draw(shm, shm->rank);
    envelope_copy(&copy->envelope, envelope);
    return copy;
}

void unexpected_free(struct shm_state *shm, struct unexpected *copy)
{
    copy->next = shm->unexpected_kept;
    shm->unexpected_kept = copy;
}

struct unexpected *unexpected_take(struct shm_state *shm, struct unexpected *copy)
{
    match_remove(&shm->unexpected, &copy->match);
    shm->peers[copy->src].unexpected--;
    return copy;
}

bool unexpected_keep(struct shm_state *shm, int src, const struct envelope *envelope)
{
    struct unexpected *copy = unexpected_new(shm, src, envelope);
    if (!copy) {
        world_fail(shm->world, shm->rank, END_ERROR, DIST_ERR_MEMORY,
                   "there is no memory left to set a message aside");
        return false;
    }
    match_add(&shm->unexpected, &copy->match, match_key(src, envelope->group, envelope->tag));
    shm->peers[src].unexpected++;
    channel_take(shm, src, &shm->peers[src], envelope, VERDICT_BY_TICKET);
    return true;
}

/* The unexpected message that was sent first of those that fit this receive. */
struct unexpected *unexpected_for(const struct shm_state *shm, const struct dist_work *op)
{
    struct unexpected *found = NULL;
    if (shm->unexpected.count == 0)
        return NULL;
    if (op->peer != DIST_ANY_SOURCE)
        return (struct unexpected *)match_find(&shm->unexpected, match_key(op->peer, op->group->id, op->tag));
    for (int src = 0; src < shm->size; src++) {
        struct unexpected *next = NULL;
        if (shm->peers[src].unexpected > 0)
            next = (struct unexpected *)match_find(&shm->unexpected, match_key(src, op->group->id, op->tag));
        if (next && (!found || next->arrival < found->arrival))
            found = next;
    }
    return found;
}

void unexpected_close(struct shm_state *shm)
{
    for (struct dist_work *op = shm->copies.first; op; op = op->next)
        free(op->aside);
    shm->copies.first = NULL;
    while (shm->unexpected.first) {
        struct match *first = shm->unexpected.first; /* of a struct unexpected */
        shm->unexpected.first = first->next;
        free(first);
    }
    for (struct unexpected *copy; (copy = shm->unexpected_kept);) {
        shm->unexpected_kept = copy->next;
        free(copy);
    }
    match_close(&shm->unexpected);
    match_close(&shm->posted);
}
