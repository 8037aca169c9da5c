/* parked.c: messages that have come before their receive was posted (messages.c). */
#include "room.h"

#include <stdlib.h>
#include <string.h>

void parked_add(struct transport_room *room, int from, const struct wire *message)
{
    size_t used = WIRE_ONE + wire_inside(room, from, wire_bytes(message));
    struct parked *parked = malloc(offsetof(struct parked, wire) + used);
    if (!parked) {
        transport_fail(room, DIST_ERR_MEMORY, "there is no memory left to set a message aside");
        return;
    }
    parked->from = from;
    memcpy(&parked->wire, message, used);
    match_add(&room->parked, &parked->match, match_key(from, message->claim.group, message->claim.root));
}

struct match *parked_for(const struct transport_room *room, const struct dist_work *op)
{
    struct match *found = NULL;
    int first = op->peer == DIST_ANY_SOURCE ? 0 : op->peer,
        last = op->peer == DIST_ANY_SOURCE ? room->size - 1 : op->peer;
    for (int from = first; from <= last && room->parked.count > 0; from++)
        found = match_earlier(found, match_find(&room->parked, match_key(from, op->group->id, op->tag)));
    return found;
}

void parked_forget(struct transport_room *room)
{
    while (room->parked.first) {
        struct match *first = room->parked.first;
        match_remove(&room->parked, first);
        free(first);
    }
}
