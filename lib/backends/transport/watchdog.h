/* watchdog.h: does somebody see that a rank is gone for which a transport waits while it starts? */
#ifndef TRANSPORT_WATCHDOG_H
#define TRANSPORT_WATCHDOG_H

#include "../../launch/eventcount.h"
#include "../../launch/worker.h"

#include <stdatomic.h>

struct watchdog {
    struct worker thread;
    struct eventcount eventcount;
    atomic_bool through; /* the start is over */
};

/* Around the start of a transport. Where our launcher watches the ranks, or the system gives no thread, it does nothing. */
void watchdog_begin(struct watchdog *watchdog, struct launch_self *self);
void watchdog_end(struct watchdog *watchdog);

#endif
