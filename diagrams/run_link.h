/* run_link.h: the second half of reading a run: what belongs together. */
#ifndef RUN_LINK_H
#define RUN_LINK_H

#include "run.h"

/* Sort the acts, find the messages, the waits' beginnings and each rank's first act. False: run->why. */
bool run_link(struct run *run);

/* Keep the members of a group that an event names: "[0, 1, 2]". A list that was cut short is not kept. */
bool run_note_group(struct run *run, int id, const char *ranks);

/* run_slices.c: one more slice, and all of them by rank, stream and time. False: run->why. */
struct value;
bool run_read_slice(struct run *run, const struct value *event, const struct value *args);
void run_sort_slices(struct run *run);

#endif
