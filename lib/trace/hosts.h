/* hosts.h: a trace of several machines, whose clocks are their own. */
#ifndef TRACE_HOSTS_H
#define TRACE_HOSTS_H

#include "line.h"

/* All events by node 0's clock. Once; nodes may be NULL. */
void hosts_bring_together(const struct world *world, const struct nodes *nodes);

/* Which hosts there were, and how far their times may be wrong. */
void hosts_write(struct writing *w);

/* The rank's host, as viewers show it. */
void hosts_write_label(struct writing *w, int rank);

#endif
