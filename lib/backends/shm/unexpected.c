/* unexpected.c: messages that came before their receive: the receiver's private copies of their envelopes, used again. */
#include "channel.h"

#include <stdlib.h>

/* A private copy of an envelope; one that nobody has numbered is the youngest. */
struct unexpected *unexpected_new(struct shm_room *room, int src, const struct envelope *envelope)
{
    struct unexpected *copy = room->unexpected_kept;
    if (copy)
        room->unexpected_kept = copy->next;
    else if (!(copy = malloc(sizeof *copy)))
        return NULL;
    uint64_t arrival = channel_arrival(room, src, envelope);
    copy->src = src;
    copy->arrival = arrival != UINT64_MAX ? arrival : channel_draw(room, room->rank);
    envelope_copy(&copy->envelope, envelope);
    return copy;
}

void unexpected_free(struct shm_room *room, struct unexpected *copy)
{
    copy->next = room->unexpected_kept;
    room->unexpected_kept = copy;
}

struct unexpected *unexpected_take(struct shm_room *room, struct unexpected *copy)
{
    match_remove(&room->unexpected, &copy->match);
    room->peers[copy->src].unexpected--;
    return copy;
}

bool unexpected_keep(struct shm_room *room, int src, const struct envelope *envelope)
{
    struct unexpected *copy = unexpected_new(room, src, envelope);
    if (!copy) {
        world_fail_because(room->world, room->rank, DIST_ERR_MEMORY,
                           "there is no memory left to set a message aside");
        return false;
    }
    match_add(&room->unexpected, &copy->match, match_key(src, envelope->group, envelope->tag));
    room->peers[src].unexpected++;
    channel_take(room, src, &room->peers[src], envelope, VERDICT_PARKED);
    return true;
}

/* The unexpected message that was sent first of those that fit this receive. */
struct unexpected *unexpected_for(const struct shm_room *room, const struct dist_work *op)
{
    struct unexpected *found = NULL;
    if (room->unexpected.count == 0)
        return NULL;
    if (op->peer != DIST_ANY_SOURCE)
        return (struct unexpected *)match_find(&room->unexpected,
                                               match_key(op->peer, op->group->id, op->tag));
    for (int src = 0; src < room->size; src++) {
        struct unexpected *next = NULL;
        if (room->peers[src].unexpected > 0)
            next = (struct unexpected *)match_find(&room->unexpected, match_key(src, op->group->id, op->tag));
        if (next && (!found || next->arrival < found->arrival))
            found = next;
    }
    return found;
}

void unexpected_close(struct shm_room *room)
{
    for (struct dist_work *op = room->copies.first; op; op = op->next)
        free(op->aside);
    room->copies.first = NULL;
    while (room->unexpected.first) {
        struct match *first = room->unexpected.first; /* of a struct unexpected */
        room->unexpected.first = first->next;
        free(first);
    }
    for (struct unexpected *copy; (copy = room->unexpected_kept);) {
        room->unexpected_kept = copy->next;
        free(copy);
    }
    match_close(&room->unexpected);
    match_close(&room->posted);
}
