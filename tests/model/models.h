/* models.h: the models that the program walks through. Each has its protocol's file name. */
#ifndef MODEL_MODELS_H
#define MODEL_MODELS_H

#include "explore.h"

extern const struct model model_eventcount; /* lib/launch/eventcount.h: one waits, others notify */
extern const struct model model_lock;       /* lib/launch/lock.h: one goes in without a lock, others come */
extern const struct model model_helper; /* lib/backends/shm/progress.c: two threads of a rank take turns */
extern const struct model
    model_channel;                      /* lib/backends/shm/channel.c, sends.c, recvs.c: messages both ways */
extern const struct model model_wanted; /* lib/backends/shm/quick.c: messages that need no answer */
extern const struct model model_offers; /* lib/backends/transport/offers.c: long data behind their message */
extern const struct model model_ahead;  /* lib/backends/transport/ahead.c: their receive begins before */
extern const struct model
    model_leaders; /* lib/backends/transport/meet.c: small collectives between machines */
extern const struct model model_bundles; /* lib/backends/transport/bundles.c: notes that travel together */
extern const struct model model_barrier; /* lib/backends/shm/barrier.c: barriers, contributions and slots */
extern const struct model model_wants; /* lib/backends/transport/wants.c: short messages without an answer */
extern const struct model model_burst; /* lib/backends/shm/collectives.c: tiny ones before their turn */

#endif
