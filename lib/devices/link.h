/*
 * link.h: how long a transfer takes: latency + bytes / bandwidth, one after the other.
 *
 * DIST_SIM=nvlink, pcie or ib chooses a link, DIST_SIM=LATENCY:BANDWIDTH (microseconds, GB/s) describes one. The named ones
 * are fifty times slower than in life, since a simulated GPU is far slower than a real one: so a picture of a
 * run shows about the same balance of computing and sending, and two cores keep up. Without DIST_SIM nothing is slowed down.
 *
 * Whoever transfers sleeps; it takes no processor time. That is what lets a program on two cores gain from overlap.
 */
#ifndef DEVICES_LINK_H
#define DEVICES_LINK_H

#include "../launch/text.h"

#include <stddef.h>
#include <stdint.h>

struct link {
    double latency;   /* seconds */
    double bandwidth; /* bytes a second; 0: endless */
    int64_t free_at;  /* when the last transfer has left it: nanoseconds on the monotonic clock */
};

/* Read DIST_SIM. DIST_OK, or DIST_ERR_ENVIRONMENT with a sentence in `why`. */
int link_read(struct link *link, struct why *why);

/* Put a transfer on the link: gives when it will be over. `trips`: how many follow each other (steps of a collective). */
int64_t link_put(struct link *link, double bytes, int trips);

#endif
