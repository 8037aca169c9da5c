/*
 * wrap.h: a backend around a backend, for what the inner one leaves open, and for DIST_ALGORITHM.
 */
#ifndef ALGORITHMS_WRAP_H
#define ALGORITHMS_WRAP_H

#include "../backend.h"

/* The backend that this rank shall use: `inner` itself, where it has every collective and DIST_ALGORITHM is not set; else a
 * backend around it that does the missing ones by messages. DIST_ALGORITHM=gather|tree|ring|halving takes all_reduce away
 * from it, and chooses how it is done; DIST_ALGORITHM=messages takes all collectives away.
 * NULL: *status is DIST_ERR_ENVIRONMENT, with a sentence in why, or DIST_ERR_MEMORY. */
const struct backend *algorithms_wrap(struct launch_self *self, const struct backend *inner, int *status,
                                      struct why *why);

#endif
