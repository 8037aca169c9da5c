/* unexpected.c: messages that have come before their receive was posted (messages.c). */
#include "state.h"

#include <stdlib.h>
#include <string.h>

void transport_unexpected_add(struct transport_state *state, int from, const struct wire *message)
{
    size_t used = WIRE_ONE + wire_inside(state, from, wire_bytes(message));
    struct unexpected *unexpected = malloc(offsetof(struct unexpected, wire) + used);
    if (!unexpected) {
        transport_fail(state, DIST_ERR_MEMORY, "there is no memory left to set a message aside");
        return;
    }
    unexpected->from = from;
    memcpy(&unexpected->wire, message, used);
    match_add(&state->unexpected, &unexpected->match,
              match_key(from, message->claim.group, message->claim.root));
}

struct match *transport_unexpected_for(const struct transport_state *state, const struct dist_work *op)
{
    struct match *found = NULL;
    int first = op->peer == DIST_ANY_SOURCE ? 0 : op->peer,
        last = op->peer == DIST_ANY_SOURCE ? state->size - 1 : op->peer;
    for (int from = first; from <= last && state->unexpected.count > 0; from++)
        found = match_earlier(found, match_find(&state->unexpected, match_key(from, op->group->id, op->tag)));
    return found;
}

void transport_unexpected_forget(struct transport_state *state)
{
    while (state->unexpected.first) {
        struct match *first = state->unexpected.first;
        match_remove(&state->unexpected, first);
        free(first);
    }
}
