/* bundles.h: notes to ranks that only the transport reaches: they travel together (bundles.c). With the state locked. */
#ifndef TRANSPORT_BUNDLES_H
#define TRANSPORT_BUNDLES_H

#include "state.h"

bool bundles_open(struct transport_state *state, int size); /* false: no memory */
void bundles_close(struct transport_state *state);

/* A note, and behind it data. waits: it leaves with the next one that does not, or when all are let go. False: no memory. */
bool bundles_add(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
                 const void *data, size_t inside, bool waits);

void bundles_let_go(struct transport_state *state); /* all */
void bundles_let_urgent(
    struct transport_state *state);                    /* but those with nothing in them that does not wait */
void bundles_let_first(struct transport_state *state); /* and those behind which more may follow at once */

#endif
