/* picture_lines.c: the arrows of a drawing: from the border of one box to just before the border of another. */
#include "picture_page.h"

#include <math.h>

#define GAP 9.0  /* between a box and the end of an arrow */
#define HEAD 9.0 /* length of an arrow's head */

static bool inside(struct point box, struct point p, double margin)
{
    return fabs(p.x - box.x) < HALF_WIDTH + margin && fabs(p.y - box.y) < HALF_HEIGHT + margin;
}

/* Along the ring, clockwise, as a curve in two pieces. */
void picture_arc(struct page *page, int from, int to)
{
    double step = 0.002, a = picture_angle(page, from), b = picture_angle(page, to);
    struct point here = page->boxes[from].at, there = page->boxes[to].at;
    while (b >= a)
        b -= 2 * PI;
    while (inside(here, picture_on_ring(page, a), GAP / 2))
        a -= step;
    while (inside(there, picture_on_ring(page, b), GAP / 3))
        b += step;
    struct point tip = picture_on_ring(page, b);
    while (hypot(picture_on_ring(page, b).x - tip.x, picture_on_ring(page, b).y - tip.y) < HEAD &&
           b < a - step)
        b += step;
    fprintf(page->file, "e,%.2f,%.2f", tip.x, tip.y);
    double part = (b - a) / 2, k = 4.0 / 3.0 * tan(part / 4);
    for (int i = 0; i < 2; i++) {
        double u = a + part * i, v = u + part;
        struct point p = picture_on_ring(page, u), q = picture_on_ring(page, v);
        if (i == 0)
            fprintf(page->file, " %.2f,%.2f", p.x, p.y);
        fprintf(page->file, " %.2f,%.2f %.2f,%.2f %.2f,%.2f", p.x - k * page->rx * sin(u),
                p.y + k * page->ry * cos(u), q.x + k * page->rx * sin(v), q.y - k * page->ry * cos(v), q.x,
                q.y);
    }
}

/* Straight, or bowed to the side by `bow` times its length. */
static void draw_line(struct page *page, struct point from, struct point to, double bow)
{
    double dx = to.x - from.x, dy = to.y - from.y, t0 = 0, t1 = 1;
    struct point middle = { from.x + dx / 2 - dy * bow, from.y + dy / 2 + dx * bow };
#define AT(t) \
    ((struct point){ (1 - (t)) * (1 - (t)) * from.x + 2 * (t) * (1 - (t)) * middle.x + (t) * (t)*to.x, \
                     (1 - (t)) * (1 - (t)) * from.y + 2 * (t) * (1 - (t)) * middle.y + (t) * (t)*to.y })
    while (t0 < 0.5 && inside(from, AT(t0), 1))
        t0 += 0.002;
    while (t1 > 0.5 && inside(to, AT(t1), 2))
        t1 -= 0.002;
    struct point tip = AT(t1), begin = AT(t0);
    double t2 = t1;
    while (t2 > t0 && hypot(AT(t2).x - tip.x, AT(t2).y - tip.y) < HEAD)
        t2 -= 0.002;
    struct point end = AT(t2), half = AT((t0 + t2) / 2);
#undef AT
    struct point c = { 2 * half.x - (begin.x + end.x) / 2, 2 * half.y - (begin.y + end.y) / 2 };
    fprintf(page->file, "e,%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", tip.x, tip.y, begin.x, begin.y,
            begin.x + (c.x - begin.x) * 2 / 3, begin.y + (c.y - begin.y) * 2 / 3,
            end.x + (c.x - end.x) * 2 / 3, end.y + (c.y - end.y) * 2 / 3, end.x, end.y);
}

/* A rank that waits for itself. */
static void draw_loop(struct page *page, struct point at)
{
    double x = at.x - HALF_WIDTH, y = at.y;
    fprintf(page->file, "e,%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", x - 2, y - 10, x - 2, y + 10,
            x - 50, y + 34, x - 50, y - 34, x - 10, y - 13);
}

/* The column of the others is crossed least by lines that bow away from it. */
static double bow_of(const struct page *page, int from, int to)
{
    struct point a = page->boxes[from].at, b = page->boxes[to].at;
    if (from >= page->ring && to >= page->ring && fabs(a.x - b.x) < 1 && fabs(a.y - b.y) > ROW * 1.5)
        return a.y > b.y ? 0.3 : -0.3;
    return from < page->ring && to < page->ring ? 0.08 : 0;
}

void picture_line(struct page *page, int from, int to)
{
    if (from == to)
        draw_loop(page, page->boxes[from].at);
    else
        draw_line(page, page->boxes[from].at, page->boxes[to].at, bow_of(page, from, to));
}
