/*
 * nodes_rounds.h: how the watchers of a job meet whose ranks another launcher has started (nodes_thread.c).
 *
 * Where node 0 listens nobody tells the ranks before MPI has started: each launcher has a protocol of its own to exchange words by (PMI-1,
 * PMIx, ...), and none of them is asked here. Once it has started, MPI carries them itself. In four rounds each rank says a word to all:
 *
 *   1  which is the first rank of my machine? Is DIST_TRACE set? Rank 0, too: the name of its machine (MASTER_ADDR, or the system's)
 *   2  the first rank of node 1: the address of that name, as others see it (at home it is often 127.0.1.1)
 *   3  rank 0: it listens there, and nowhere else; the port, and a secret
 *   4  the first rank of each machine: the watchers have met
 */
#ifndef LAUNCH_NODES_ROUNDS_H
#define LAUNCH_NODES_ROUNDS_H

#include "nodes.h"

struct word {
    int32_t number; /* round 1: a rank; 3, 4: a status */
    bool traced;    /* round 1: DIST_TRACE is set */
    char text[400]; /* a name, an address, a port, why not */
    unsigned char key[SECRET_BYTES];
};

struct round {
    struct launch_self *self;
    const char *host; /* where all have reached rank 0 already; NULL: they have not met before */
    nodes_gather *gather;
    void *argument;
    struct word own, *all;
};

/* 0; enum dist_error with a sentence, the same on all ranks; or -1: gather has failed. The first gives rank 0's name, too, and the second
 * where node 0 listens. */
int rounds_find_node_0(struct round *r, struct nodes *nodes, char *name, size_t name_size, struct why *why);
int rounds_open_listener(struct round *r, struct nodes *nodes, int *listener, struct why *why);
int rounds_agree(struct round *r, int status, struct why *why); /* the first status that is not 0 */

#endif
