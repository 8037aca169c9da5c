/* streams.h: the picture of the streams: its rows (streams.c), and how spans become its boxes (streams_spans.c). */
#ifndef STREAMS_H
#define STREAMS_H

#include "draw.h"

/* What is being drawn. */
struct bands {
    struct picture *p;
    const struct run *run;
    double from, to;            /* microseconds */
    bool used[RUN_STREAMS + 1]; /* which streams any rank has; 0: communication */
    int rows;                   /* of a rank */
};

double streams_x(const struct bands *b, double time);

/* `run`: the whole one, with slices of its own: those that spans have asked for, from each rank's nth span of that name on.
 * False: no memory. The slices are to be freed. */
bool streams_from(struct run *run, const struct run *whole, const char *name, int nth);

/* Neighbours on a stream that one span has asked for become one slice with its name. */
void streams_join(struct run *run);

void streams_headings(const struct bands *b);

#endif
