/* walk.h: the ranks on their way through a run, while order.c finds the places. */
#ifndef WALK_H
#define WALK_H

#include "order.h"

#define WALK_DEPTH 32 /* spans inside each other */

/* One rank on its way. */
struct walker {
    int next, end;   /* acts */
    double here;     /* the place of what it did last */
    bool after_span; /* that was a span: what follows may stand at its end */
    int clock;
    bool queued;
    int open[WALK_DEPTH], depth; /* spans that it is in */
};

/* A meeting while the ranks come to it. */
struct gathering {
    int arrived;
    double latest;
    int clock;
};

struct walk {
    const struct run *run;
    const struct order_style *style;
    struct order *order;
    struct walker *walkers;
    int *queue; /* a ring of ranks */
    int head, waiting;
    struct meeting *meetings;
    int *acts; /* of the meetings */
    int meeting_count;
    int *meeting_of; /* per act; -1 */
    struct gathering *gatherings;
};

/* Put a rank into the queue: there may be news for it. */
void walk_push(struct walk *walk, int rank);

/* Take a rank's next act. False: it has to wait for another rank. `forced`: take it all the same. */
bool walk_step(struct walk *walk, int rank, bool forced);

/* End the innermost span that a rank is in. */
void walk_close_span(struct walk *walk, struct walker *w);

#endif
