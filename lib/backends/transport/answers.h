/* answers.h: the answer to a message: now, or with the next note to its sender. With the state locked. */
#ifndef TRANSPORT_ANSWERS_H
#define TRANSPORT_ANSWERS_H

#include "state.h"

void answers_taken(struct transport_state *state, int from, const struct wire *message);
void answers_pay(struct transport_state *state);                   /* what is still owed: now */
bool answers_wait_for_turn(const struct transport_state *state);   /* to a message whose sender waits */
void answers_see_message(struct transport_state *state, int peer); /* one is about to leave */

#endif
