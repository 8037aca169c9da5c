/* lookout.h: does somebody see that a rank is gone for which a transport waits while it starts? */
#ifndef TRANSPORT_LOOKOUT_H
#define TRANSPORT_LOOKOUT_H

#include "../../launch/eventcount.h"
#include "../../launch/worker.h"

#include <stdatomic.h>

struct lookout {
    struct worker thread;
    struct eventcount eventcount;
    atomic_bool through; /* the start is over */
};

/* Around the start of a transport. Where our launcher watches the ranks, or the system gives no thread, it does nothing. */
void lookout_begin(struct lookout *lookout, struct launch_self *self);
void lookout_end(struct lookout *lookout);

#endif
