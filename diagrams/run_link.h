/* run_link.h: the second half of reading a run: what belongs together. */
#ifndef RUN_LINK_H
#define RUN_LINK_H

#include "run.h"

/* Sort the acts, find the messages, the waits' beginnings and each rank's first act. False: run->why. */
bool run_link(struct run *run);

/* Keep the members of a group that an event names: "[0, 1, 2]". A list that was cut short is not kept. */
bool run_note_group(struct run *run, int id, const char *ranks);

#endif
