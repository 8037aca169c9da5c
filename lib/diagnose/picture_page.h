/* picture_page.h: what picture.c and picture_lines.c share: the page that is being drawn. */
#ifndef DIAGNOSE_PICTURE_PAGE_H
#define DIAGNOSE_PICTURE_PAGE_H

#include "picture.h"

#define HALF_WIDTH 52.0 /* of a box */
#define HALF_HEIGHT 22.5
#define ROW 84.0 /* from one box beside the circle to the next */
#define PI 3.14159265358979323846

struct point {
    double x, y;
};

/* A box: one rank, or (rank < 0) the place of those that are left out. */
struct box {
    int rank;
    int alike; /* how many more do and wait for the same, and stand here too */
    int last;  /* of those, the last */
    bool red;  /* of the circle */
    struct point at;
};

struct page {
    const struct picture *picture;
    FILE *file;
    struct box boxes[2 * PICTURE_MOST + 2];
    int count;
    int ring; /* the first so many stand around the circle */
    double rx, ry;
    double right; /* border of all boxes */
};

/* Where the i-th box of the ring stands. */
double picture_angle(const struct page *page, int i);
struct point picture_on_ring(const struct page *page, double angle);

/* An arrow from one box to another: along the ring, or straight. Its attribute `pos`. */
void picture_arc(struct page *page, int from, int to);
void picture_line(struct page *page, int from, int to);

#endif
