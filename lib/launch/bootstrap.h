/*
 * bootstrap.h: words between all ranks of a job on several machines, before an engine can carry them: where torchrun, srun or an mpirun has
 * started the ranks, and BACKEND is gloo.
 *
 * Each rank calls rank 0 at MASTER_ADDR:MASTER_PORT, as a watcher calls node 0 (nodes.c), with the same proof that it knows the job's secret,
 * which nobody but the user can bring to all machines here: DIST_SECRET. A gather is then a frame from each rank to rank 0, and one with
 * all words back. When the watchers have met (nodes_thread.c), they carry what Gloo's ranks want to know of each other, and this ends.
 */
#ifndef LAUNCH_BOOTSTRAP_H
#define LAUNCH_BOOTSTRAP_H

#include "launch.h"

/* MASTER_ADDR, and a port there that is free for us: MASTER_PORT, or its neighbour where torchrun's agent listens there itself. 0, or
 * enum dist_error with a sentence. */
int bootstrap_find_master(const struct launch_env *env, char *host, size_t host_size, int *port,
                          struct why *why);

/* Is all there that such a job needs to meet? The same status. */
int bootstrap_check(const struct launch_env *env, struct why *why);

/* On all of its ranks: its machines' watchers meet. The same status. */
int bootstrap_join_machines(struct launch_self *self, const char *version, struct why *why);

#endif
