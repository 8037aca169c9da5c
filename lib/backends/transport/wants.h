/* wants.h: receives that are posted before their message ask for its data (wants.c). With the room locked. */
#ifndef TRANSPORT_WANTS_H
#define TRANSPORT_WANTS_H

#include "room.h"

#define WANTS_FIRST_TAG (TRANSPORT_TAGS - WANTS_MOST)
#define RINGS_FIRST_TAG (TRANSPORT_TAGS / 2) /* of long sums (ring.c); messages have those below */

/* The receiver: about to post this receive; its data, which come under the tag op->ticket, or 0; they are there; or will not come. */
void wants_tell(struct transport_room *room, struct dist_work *op);
transport_request wants_early(const struct transport_room *room, const struct dist_work *op);
void wants_landed(struct transport_room *room, const struct dist_work *op);
void wants_drop(struct transport_room *room, struct dist_work *op);

/* The sender: a want has come; a message is about to leave, which is wanted already, or waits for its answer. */
void wants_hear(struct transport_room *room, int from, const struct wire *wire);
void wants_post(struct transport_room *room, struct dist_work *op);

void wants_close(struct transport_room *room);

#endif
