/* nodes_jobs.h: jobs on several launchers of this machine, which take each other for other hosts. */
#ifndef NODES_JOBS_H
#define NODES_JOBS_H

#include "started.h"

/* Where node 0 listens: a port that nobody had when it was asked for. */
extern int nodes_port;
int nodes_new_port(void);
int nodes_hold_port(void); /* and somebody listens there: nodes_port, and a descriptor to be closed */

/* What all machines of a job are told, and a name that is no host's of the internet: a label has 63 letters at most. So nobody is asked, and
 * nobody lets us wait. */
#define NODES_SECRET "DIST_SECRET=000102030405060708090a0b0c0d0e0f"
#define NODES_NOBODY "nobodynobodynobodynobodynobodynobodynobodynobodynobodynobodynobodynobody"

/* What stands before distrun on its command line: "", or a program that starts it. */
extern const char *nodes_before;

/* One launcher: `options` are distrun's but --at, `settings` one more NAME=value. */
void nodes_begin_one(struct started *node, const char *settings, const char *options, const char *program);
void nodes_begin_all(struct started *nodes, int count, int ranks, const char *program);
void started_wait_for(struct started *node, const char *words); /* until it has said so on stderr */
void nodes_end_all(struct started *nodes, int count);

/* A part of the conformance suite (transport/conform_mpi.c) on so many launchers. */
void conform_over_nodes(const char *backend, const char *part, int nodes, int ranks);

bool nodes_have_gloo(void);
#define NEEDS_GLOO() \
    do { \
        if (!nodes_have_gloo()) \
            cr_skip_test("BACKEND=gloo is not built here; make doctor says how to get it"); \
    } while (0)

#endif
