/* answers.h: the answer to a message: now, or with the next note to its sender. With the room locked. */
#ifndef TRANSPORT_ANSWERS_H
#define TRANSPORT_ANSWERS_H

#include "room.h"

void answers_taken(struct transport_room *room, int from, const struct wire *message);
void answers_pay(struct transport_room *room);                   /* what is still owed: now */
bool answers_wait_for_turn(const struct transport_room *room);   /* to a message whose sender waits */
void answers_see_message(struct transport_room *room, int peer); /* one is about to leave */

#endif
