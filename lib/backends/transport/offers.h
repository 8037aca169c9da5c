/* offers.h: long data that set out with their message (offers.c). With the state locked. */
#ifndef TRANSPORT_OFFERS_H
#define TRANSPORT_OFFERS_H

#include "state.h"

#define OFFERS_FIRST_TAG (TRANSPORT_TAGS - OFFERS_MOST)
#define RINGS_FIRST_TAG \
    (TRANSPORT_TAGS / 2) /* of long sums (ring.c); data that are asked for have those below */

/* The sender: a tag for the data of this message, op->ticket; false: none is free. They set out; true: their receive had begun, and
 * nobody need hear of them. Whose end does not wait for that forgets them: the tag stays in use. */
bool offers_place(struct transport_state *state, struct dist_work *op);
bool offers_set_out(struct transport_state *state, struct dist_work *op, size_t bytes, uint64_t tag);
void offers_forget(struct transport_state *state, const struct dist_work *op);
bool offers_progress(struct transport_state *state); /* true: some were taken */

/* The receiver: are this message's data on offer? They are taken, by this receive; by none, if type or count differ. */
static inline bool offers_are(const struct wire *message)
{
    return message->tag >= OFFERS_FIRST_TAG;
}
void offers_take(struct transport_state *state, int from, const struct wire *message, struct dist_work *op,
                 transport_request begun); /* begun: its receive, if it has (ahead.c); else 0 */

#endif
