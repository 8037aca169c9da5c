/*
 * order.h: where in a picture each act stands, by logic alone.
 *
 * A rank's acts stand one after the other; a message arrives after it was sent; a collective ends for all at the same
 * place. Nothing else decides, so two runs of one program give one picture, however their clocks ran.
 */
#ifndef ORDER_H
#define ORDER_H

#include "run.h"

/* How far apart things stand, in columns. */
struct order_style {
    double step;                             /* between two acts of a rank */
    double travel;                           /* at least, from a send to its arrival */
    double (*width)(const struct act *span); /* of a span */
    bool time;                               /* not by logic: by the clock, over `columns` */
    double columns;
};

/* Where an act stands. */
struct spot {
    double from; /* where it begins: to wait, to compute */
    double at;   /* where it happens: the message leaves or arrives, the collective or the span ends */
    int clock;   /* Lamport's: one more than all that it has seen; 0: it is no event of that kind */
    bool known;
};

struct order {
    struct spot *spot; /* of every act */
    double end;        /* the last column in use */
};

/* False: no memory. */
bool order_find(struct order *order, const struct run *run, const struct order_style *style);
void order_free(struct order *order);

/* Collectives that belong together: acts of one group with one number. */
struct meeting {
    int group, seq;
    int first, count; /* in order_meetings' list of acts */
};

/* All meetings of a run; *acts lists their acts, by meeting, then by rank. The count; -1: no memory. Free both. */
int order_meetings(const struct run *run, struct meeting **meetings, int **acts);

#endif
