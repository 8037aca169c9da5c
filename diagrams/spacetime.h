/* spacetime.h: the picture with a line for each rank, between its bars and dots (spacetime.c), its arrows, its collectives, and
 * where everything stands (spacetime_place.c). */
#ifndef SPACETIME_H
#define SPACETIME_H

#include "draw.h"

#define COLUMN 52.0
#define ROW 78.0
#define BAR 11.0
#define DOT 11.0
#define STRIPS 16 /* a long run goes on below, like the lines of a text */

/* A place that a tag should not cover. */
struct place {
    struct point at;
    double width, height;
};

/* The way of an arrow, or the part of it in one strip. With a bow where a straight one would go through somebody else's dot. */
struct way {
    int message;
    struct point a, b;
    double bow; /* how far its middle lies from the straight line */
};

/* What is being drawn. */
struct sheet {
    struct picture *p;
    const struct run *run;
    const struct order *order;
    double last;              /* the last column that is drawn */
    double column;            /* how wide a column is */
    double begin[STRIPS + 1]; /* the column at which each strip begins; the last one's end */
    int strips;
    bool clocks; /* Lamport's numbers beside events */
    bool time;   /* by the clock, which has no such numbers */
    bool cut;    /* there is more than fits */
    bool same;   /* all messages carry the same, `each`, which is said once */
    bool again;  /* some arrow has no tag, since the one before it has the same */
    char each[160];
    struct place *places; /* arrow heads, dots, numbers and tags: no further tag may hide them */
    int place_count;
    struct way *ways; /* all arrows: a tag keeps off those that it does not belong to */
    int way_count;
};

/* Cut the columns into strips, each as wide as a page, where the fewest messages are under way. */
void spacetime_cut(struct sheet *sheet);

/* Where a column is on the line of a rank; which strip it is in; whether an act is drawn at all. */
struct point spacetime_at(const struct sheet *sheet, int rank, double column);
struct point spacetime_in(const struct sheet *sheet, int strip, int rank, double column);
int spacetime_strip(const struct sheet *sheet, double column);
bool spacetime_shows(const struct sheet *sheet, int act);

/* A bar on the line of a rank; a long one goes on in the next strip. */
void spacetime_bar(const struct sheet *sheet, int rank, double from, double to, const char *color,
                   double width);

/* Nothing is to stand there any more. And: the middle of a tag on a way, where it hides the least. */
void spacetime_take(struct sheet *sheet, struct point at, double width, double height);
struct point spacetime_free(struct sheet *sheet, const struct way *way, double width, double height);

/* A point of a way, part 0 to 1; and the bow with which it keeps off the dots between its ends. */
struct point spacetime_on(const struct way *way, double part);
double spacetime_bow(const struct sheet *sheet, struct way way);

/* An event, so far to the right of its column. */
void spacetime_dot(struct sheet *sheet, int act, double right, bool hollow);

/* The collectives: spacetime_meetings.c. */
void spacetime_meetings(struct sheet *sheet);

/* The messages: first how much their tags have to say; then arrows, then tags. */
void spacetime_tags(struct sheet *sheet);
void spacetime_arrows(struct sheet *sheet);

#endif
