/* answers.h: the answer to a message: now, or with the next note to its sender. With the room locked. */
#ifndef TRANSPORT_ANSWERS_H
#define TRANSPORT_ANSWERS_H

#include "room.h"

void answers_taken(struct transport_room *room, int from, const struct wire *message);
void answers_pay(struct transport_room *room);                   /* what is still owed: now */
void answers_see_message(struct transport_room *room, int peer); /* one is about to leave */

/* What is owed to a rank travels behind a note to it: so many bytes; put there; and read from there. */
size_t answers_bytes(const struct transport_room *room, int peer);
size_t answers_take_along(struct transport_room *room, int peer, char *note, size_t bytes);
void answers_read(struct transport_room *room, struct wire *note, size_t bytes);

#endif
