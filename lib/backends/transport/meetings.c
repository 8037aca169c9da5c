/* meetings.c: the collectives for which a rank waits for members: the first of all, and the first of each machine. */
#include "meet.h"

#include <stdlib.h>

struct meeting *meetings_find(const struct transport_state *state, int number, uint32_t seq)
{
    struct meeting *m = state->meetings;
    while (m && (m->number != number || m->seq != seq))
        m = m->next;
    return m;
}

struct meeting *meetings_make(struct transport_state *state, const struct wire *wire)
{
    struct meeting *m = meetings_find(state, wire->a, wire->seq);
    if (m)
        return m;
    m = calloc(1, sizeof *m + (size_t)wire->b * sizeof *m->arrivals);
    if (!m) {
        collect_want_memory(state, NULL);
        return NULL;
    }
    m->number = wire->a;
    m->size = wire->b;
    m->seq = wire->seq;
    m->next = state->meetings;
    return state->meetings = m;
}

void meetings_end(struct transport_state *state, struct meeting *m)
{
    struct meeting **at = &state->meetings;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    for (int i = 0; i < m->size; i++)
        free(m->arrivals[i].inside);
    free(m);
}
