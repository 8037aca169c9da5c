/* alike.h: what all ranks must have chosen alike, or they would wait for each other in vain: the backend, and how it works. */
#ifndef LAUNCH_ALIKE_H
#define LAUNCH_ALIKE_H

#include "../why.h"

#include <stdbool.h>

struct alike {
    char backend[8];
    char algorithm[12]; /* DIST_ALGORITHM; "": it is not set */
    char flat[4];       /* DIST_FLAT: "1", or ""; of one machine's ranks */
    char trace[4]; /* DIST_TRACE: "set", where nobody but the ranks can bring it to all machines; or "" */
};

struct world;

/* With this backend, and the environment. Between machines none is `flat`: each may choose DIST_FLAT for itself. */
struct alike alike_of(const char *backend, bool flat);

/* Do they differ? Then why, of whom the words tell: "rank 1". */
bool alike_differ(const struct alike *a, const char *whose_a, const struct alike *b, const char *whose_b,
                  struct why *why);

/* This rank joins (RANK_JOINING), and its slot says how. 0, or DIST_ERR_ENVIRONMENT: another rank of this machine joins otherwise. */
int alike_check(const struct world *world, int rank, struct why *why);

#endif
