/* waitfor_lines.c: the arrows of a drawing: from the border of one box to just before the border of another. */
#include "waitfor_page.h"

#include <math.h>

#define GAP 9.0  /* between a box and the end of an arrow */
#define HEAD 9.0 /* length of an arrow's head */

static bool inside(const struct box *box, struct point p, double margin)
{
    return fabs(p.x - box->at.x) < box->half + margin && fabs(p.y - box->at.y) < HALF_HEIGHT + margin;
}

/* Along the ring, clockwise, as a curve in two pieces. */
void waitfor_arc(struct page *page, int from, int to)
{
    double step = 0.002, a = waitfor_angle(page, from), b = waitfor_angle(page, to);
    const struct box *here = &page->boxes[from], *there = &page->boxes[to];
    while (b >= a)
        b -= 2 * PI;
    while (inside(here, waitfor_on_ring(page, a), GAP / 2))
        a -= step;
    while (inside(there, waitfor_on_ring(page, b), GAP / 3))
        b += step;
    struct point tip = waitfor_on_ring(page, b);
    while (hypot(waitfor_on_ring(page, b).x - tip.x, waitfor_on_ring(page, b).y - tip.y) < HEAD &&
           b < a - step)
        b += step;
    dot_point(page->file, "e,", tip);
    double part = (b - a) / 2, k = 4.0 / 3.0 * tan(part / 4);
    for (int i = 0; i < 2; i++) {
        double u = a + part * i, v = u + part;
        struct point p = waitfor_on_ring(page, u), q = waitfor_on_ring(page, v);
        if (i == 0)
            dot_point(page->file, " ", p);
        dot_point(page->file, " ",
                  (struct point){ p.x - k * page->rx * sin(u), p.y + k * page->ry * cos(u) });
        dot_point(page->file, " ",
                  (struct point){ q.x + k * page->rx * sin(v), q.y - k * page->ry * cos(v) });
        dot_point(page->file, " ", q);
    }
}

/* Straight, or bowed to the side by `bow` times its length. */
static void draw_line(struct page *page, const struct box *a, const struct box *b, double bow)
{
    struct point from = a->at, to = b->at;
    double dx = to.x - from.x, dy = to.y - from.y, t0 = 0, t1 = 1;
    struct point middle = { from.x + dx / 2 - dy * bow, from.y + dy / 2 + dx * bow };
#define AT(t) \
    ((struct point){ (1 - (t)) * (1 - (t)) * from.x + 2 * (t) * (1 - (t)) * middle.x + (t) * (t)*to.x, \
                     (1 - (t)) * (1 - (t)) * from.y + 2 * (t) * (1 - (t)) * middle.y + (t) * (t)*to.y })
    while (t0 < 0.5 && inside(a, AT(t0), 1))
        t0 += 0.002;
    while (t1 > 0.5 && inside(b, AT(t1), 2))
        t1 -= 0.002;
    struct point tip = AT(t1), begin = AT(t0);
    double t2 = t1;
    while (t2 > t0 && hypot(AT(t2).x - tip.x, AT(t2).y - tip.y) < HEAD)
        t2 -= 0.002;
    struct point end = AT(t2), half = AT((t0 + t2) / 2);
#undef AT
    struct point c = { 2 * half.x - (begin.x + end.x) / 2, 2 * half.y - (begin.y + end.y) / 2 };
    dot_point(page->file, "e,", tip);
    dot_point(page->file, " ", begin);
    dot_point(page->file, " ",
              (struct point){ begin.x + (c.x - begin.x) * 2 / 3, begin.y + (c.y - begin.y) * 2 / 3 });
    dot_point(page->file, " ",
              (struct point){ end.x + (c.x - end.x) * 2 / 3, end.y + (c.y - end.y) * 2 / 3 });
    dot_point(page->file, " ", end);
}

/* A rank that waits for itself. */
static void draw_loop(struct page *page, const struct box *box)
{
    double x = box->at.x - box->half, y = box->at.y;
    dot_point(page->file, "e,", (struct point){ x - 2, y - 10 });
    dot_point(page->file, " ", (struct point){ x - 2, y + 10 });
    dot_point(page->file, " ", (struct point){ x - 50, y + 34 });
    dot_point(page->file, " ", (struct point){ x - 50, y - 34 });
    dot_point(page->file, " ", (struct point){ x - 10, y - 13 });
}

/* The column of the others is crossed least by lines that bow away from it. Two that wait for each other have a line
 * each. */
static double bow_of(const struct page *page, int from, int to)
{
    const struct box *a = &page->boxes[from], *b = &page->boxes[to];
    bool mutual = waitfor_waits(page, b->rank, a->rank);
    if (from < page->ring && to < page->ring)
        return 0.08;
    if (from >= page->ring && to >= page->ring && fabs(a->at.x - b->at.x) < 1 &&
        fabs(a->at.y - b->at.y) > ROW * 1.5)
        return a->at.y > b->at.y ? 0.3 : mutual ? -0.42 : -0.3;
    return mutual ? 0.2 : 0;
}

void waitfor_line(struct page *page, int from, int to)
{
    if (from == to)
        draw_loop(page, &page->boxes[from]);
    else
        draw_line(page, &page->boxes[from], &page->boxes[to], bow_of(page, from, to));
}
