/* ahead.h: a receive of long data that begins before their message has come (ahead.c). With the state locked. */
#ifndef TRANSPORT_AHEAD_H
#define TRANSPORT_AHEAD_H

#include "state.h"

bool ahead_open(struct transport_state *state, int size); /* false: no memory */

/* The sender: this message is counted; a long one has a number, and the tag of its data if they are offered. */
void ahead_name(struct transport_state *state, int peer, struct wire *message, bool is_long);

/* The receiver: a receive is posted, and begins if it may; or ends without a message. */
void ahead_begin(struct transport_state *state, struct dist_work *op, size_t bytes);
void ahead_take_back(struct transport_state *state, const struct dist_work *op);
bool ahead_progress(struct transport_state *state); /* true: data have come */
void ahead_settle(struct transport_state *state,
                  int from); /* before a message of that rank meets its receive */

/* A message has been heard, where receives may begin ahead. True: its data came before, into their receive. */
bool ahead_is_late(struct transport_state *state, int from, const struct wire *message, bool is_long);

/* A message has met this receive: the request of its data, if that is what has begun; else that is taken back: 0. */
transport_request ahead_meet(struct transport_state *state, const struct dist_work *op,
                             const struct wire *message);

#endif
