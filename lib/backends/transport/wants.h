/* wants.h: messages that need no answer, since their receive was there first (wants.c). With the state locked. */
#ifndef TRANSPORT_WANTS_H
#define TRANSPORT_WANTS_H

#include "state.h"

/* Between this rank and another one. A receive of another machine's message stands alone if no other names its rank, and none anybody. */
struct wants {
    uint32_t sent, heard;           /* short messages to it, and from it; */
    uint32_t sent_long, heard_long; /* and long ones */
    uint32_t receives;              /* posted ones that name it; */
    const struct dist_work *alone;  /* of them the first, if it stood alone; NULL: it did not */
    struct want said;               /* for `alone`, to its rank; its type is NO_WANT: not yet; */
    struct want heard_of;           /* and what its rank has said of the next short message to it */
};

bool wants_open(struct transport_state *state, int size); /* false: no memory */

/* The sender: this message is counted, and says what this rank wants. True: it is wanted, and its send is over when the note is written. */
bool wants_name(struct transport_state *state, struct dist_work *op, struct wire *message, bool is_long);

/* The receiver: a message was heard; a send of this rank's may be over. */
void wants_hear(struct transport_state *state, int from, const struct wire *message, bool is_long);

/* A receive is posted; or is no longer. True: the message that it has met was said to be wanted, and if it agrees its sender knows. */
void wants_post(struct transport_state *state, const struct dist_work *op, size_t bytes);
bool wants_unpost(struct transport_state *state, const struct dist_work *op, const struct wire *message);
void wants_count_long(struct transport_state *state, int from); /* data have come that nothing announced */

#endif
