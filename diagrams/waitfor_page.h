/* waitfor_page.h: what waitfor_draw.c, waitfor_words.c and waitfor_lines.c share: the page that is being drawn. */
#ifndef WAITFOR_PAGE_H
#define WAITFOR_PAGE_H

#include "dot.h"
#include "waitfor.h"

#define HALF_WIDTH 52.0 /* of a box, if its text is not longer */
#define HALF_HEIGHT 22.5
#define ROW 84.0 /* from one box beside the ring to the next */
#define PI 3.14159265358979323846

/* A box: one rank, or (rank < 0) the place of those that are left out. */
struct box {
    int rank;
    int alike; /* how many more do and wait for the same, and stand here too */
    int last;  /* of those, the last */
    bool red;  /* of the cycle */
    double half;
    struct point at;
};

struct page {
    const struct waitfor_picture *picture;
    FILE *file;
    bool *waits; /* count times count: does this rank wait for that one? */
    struct box boxes[2 * WAITFOR_MOST + 2];
    int count;
    int ring; /* the first so many stand around the ring */
    double rx, ry;
    double left, right, top; /* border of all boxes */
};

/* Where the i-th box of the ring stands. */
double waitfor_angle(const struct page *page, int i);
struct point waitfor_on_ring(const struct page *page, double angle);

bool waitfor_waits(const struct page *page, int from, int to);

/* Title and subtitle; what a box says; the name of the cycle in its middle. */
void waitfor_head(struct page *page);
void waitfor_label(struct page *page, const struct box *box);
void waitfor_cycle_name(struct page *page);

/* An arrow from one box to another: along the ring, or straight. Its attribute `pos`. */
void waitfor_arc(struct page *page, int from, int to);
void waitfor_line(struct page *page, int from, int to);

#endif
