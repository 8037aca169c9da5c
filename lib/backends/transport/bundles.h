/* bundles.h: notes to ranks that only the transport reaches: they travel together (bundles.c). With the room locked. */
#ifndef TRANSPORT_BUNDLES_H
#define TRANSPORT_BUNDLES_H

#include "room.h"

bool bundles_open(struct transport_room *room, int size); /* false: no memory */
void bundles_close(struct transport_room *room);

/* A note, and behind it data. waits: it leaves with the next one that does not, or when all are let go. False: no memory. */
bool bundles_add(struct transport_room *room, int peer, const struct wire *wire, size_t bytes,
                 const void *data, size_t inside, bool waits);

void bundles_let_go(struct transport_room *room);     /* all */
void bundles_let_urgent(struct transport_room *room); /* but those with nothing in them that does not wait */
void bundles_let_first(struct transport_room *room);  /* and those behind which more may follow at once */

#endif
