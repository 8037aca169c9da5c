/* bundles.h: notes to ranks that only the transport reaches: they travel together (bundles.c). With the state locked. */
#ifndef TRANSPORT_BUNDLES_H
#define TRANSPORT_BUNDLES_H

#include "state.h"

bool bundles_open(struct transport_state *state, int size); /* false: no memory */
void bundles_close(struct transport_state *state);

/* A note, and behind it data. waits: it leaves with the next one that does not, or when all are let go. False: no memory. */
bool bundles_add(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
                 const void *data, size_t inside, bool waits);

enum which_bundles {
    BUNDLES_ALL,
    BUNDLES_URGENT, /* but those with nothing in them that does not wait, */
    BUNDLES_FIRST   /* and those behind which more may follow at once */
};
void bundles_let_go(struct transport_state *state, enum which_bundles which);

#endif
