/*
 * trace.h: a run, written down.
 *
 *   wrap.c     a backend around a backend: its calls leave an event, and hand on (wrap.h)
 *   quick.c    the same for its quick ways; span.c: what the program marks itself
 *   record.c   the events: a list for each rank in the world's memory, written by that rank alone
 *   notes.c    what does not fit into an event: names, groups, values
 *   write.c    when all ranks have ended: the lists as one file that Perfetto and chrome://tracing open, with an arrow
 *              from each send to its receive
 *   line.c     one event as a line of that file
 *   hosts.c    ranks of several machines: one clock for all
 *
 * Nothing here waits for another rank, takes a lock or makes a system call while the job runs. What a list has no room
 * for is counted and left out. The events outlive their rank: they are there when it was killed.
 */
#ifndef TRACE_H
#define TRACE_H

#include "../backend.h"

/* The backend that this rank shall use: with DIST_TRACE=file in the environment a backend around `inner`, else `inner`. */
const struct backend *trace_wrap(struct launch_self *self, const struct backend *inner);

/* The group that this op has made (group_new) has its id now. */
void trace_group_made(struct launch_self *self, const struct dist_work *op, const struct dist_group *group);

/* This thread's next asks are of another dist_wait_any. */
void trace_asks_anew(void);

struct nodes;

/* For whoever sees all ranks end: write what they did to $DIST_TRACE, if that is set. 0, or enum dist_error with a
 * sentence in why. Ranks of several machines: what those of others did lies in this world, too, and `nodes` has what brings
 * their clocks together; else it is NULL. */
int trace_write(const struct world *world, const struct nodes *nodes, struct why *why);

/* The parts of a rank's trace memory that hold something, from 0 on: what a copy elsewhere needs. False: there is no such. */
bool trace_part(const struct world *world, int rank, int part, uint64_t *from, uint64_t *bytes);

#endif
