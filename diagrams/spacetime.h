/* spacetime.h: the picture with a line for each rank, between its bars and dots (spacetime.c) and its arrows. */
#ifndef SPACETIME_H
#define SPACETIME_H

#include "draw.h"

#define COLUMN 52.0
#define ROW 78.0

/* A tag that was placed. */
struct tag {
    struct point at;
    double width;
};

/* What is being drawn. */
struct sheet {
    struct picture *p;
    const struct run *run;
    const struct order *order;
    double last;      /* the last column that is drawn */
    bool time;        /* no Lamport clocks */
    bool cut;         /* there is more than fits */
    struct tag *tags; /* those on the arrows, so that none hides another */
    int tag_count;
};

/* Where a column is, and the line of a rank; whether an act is drawn at all. */
double spacetime_x(double column);
double spacetime_y(const struct sheet *sheet, int rank);
bool spacetime_shows(const struct sheet *sheet, int act);

/* The arrow of a message, with its tag and the clocks at both ends. */
void spacetime_arrow(struct sheet *sheet, int message);

#endif
