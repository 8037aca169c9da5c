/* spacetime_place.c: where everything stands: strips below each other, and a free place for each tag. */
#include "spacetime.h"

#include <math.h>

#define WIDEST 17.0 /* columns of a strip: on a page of 838 pixels its text is still 9 pixels high */
#define MOST 22.0   /* where columns are a little narrower */
#define BELOW 34.0  /* from the last line of a strip to the first of the next */

/* ---- strips ----------------------------------------------------------------------------- */

/* How many messages and named spans a cut in front of that column goes through. */
static int cut_through(const struct sheet *sheet, double column)
{
    const struct spot *spot = sheet->order->spot;
    int count = 0;
    for (int i = 0; i < sheet->run->message_count; i++) {
        const struct message *m = &sheet->run->messages[i];
        count += spot[m->send].at < column && column < spot[m->done].at;
    }
    for (int i = 0; i < sheet->run->count; i++)
        if (sheet->run->acts[i].kind == ACT_SPAN)
            count += spot[i].from < column && column < spot[i].at;
    return count;
}

void spacetime_cut(struct sheet *sheet)
{
    double begin = 0, end = sheet->last + 0.6;
    sheet->strips = 1;
    sheet->column = end > WIDEST + 0.6 && end <= MOST ? COLUMN * WIDEST / end : COLUMN;
    while (end > MOST && end - begin > WIDEST + 0.6 && sheet->strips < STRIPS) {
        double ideal = begin + (end - begin) / ceil((end - begin) / WIDEST), best = INFINITY, here = begin;
        for (double at = floor(begin + 0.6 * WIDEST) + 0.5; at <= begin + WIDEST; at++) {
            double cost = cut_through(sheet, at) + 0.05 * fabs(at - ideal);
            here = cost < best ? at : here;
            best = fmin(best, cost);
        }
        begin = sheet->begin[sheet->strips++] = here;
    }
    sheet->begin[sheet->strips] = end;
}

int spacetime_strip(const struct sheet *sheet, double column)
{
    int strip = 0;
    while (strip + 1 < sheet->strips && column >= sheet->begin[strip + 1])
        strip++;
    return strip;
}

struct point spacetime_in(const struct sheet *sheet, int strip, int rank, double column)
{
    double left = strip > 0 ? sheet->begin[strip] - 0.4 : 0;
    return (struct point){ (column - left) * sheet->column,
                           -ROW * row_of(sheet->run, rank) - strip * (ROW * row_count(sheet->run) + BELOW) };
}

struct point spacetime_at(const struct sheet *sheet, int rank, double column)
{
    return spacetime_in(sheet, spacetime_strip(sheet, column), rank, column);
}

bool spacetime_shows(const struct sheet *sheet, int act)
{
    return row_of(sheet->run, sheet->run->acts[act].rank) >= 0 && sheet->order->spot[act].at <= sheet->last;
}

void spacetime_bar(const struct sheet *sheet, int rank, double from, double to, const char *color,
                   double width)
{
    for (int strip = spacetime_strip(sheet, from); strip < sheet->strips && sheet->begin[strip] < to;
         strip++) {
        double left = fmax(from, sheet->begin[strip]), right = fmin(to, sheet->begin[strip + 1]);
        if (right > left)
            dot_bar(sheet->p, spacetime_in(sheet, strip, rank, left), spacetime_in(sheet, strip, rank, right),
                    color, width);
    }
}

/* ---- tags ---------------------------------------------------------------------------------- */

void spacetime_take(struct sheet *sheet, struct point at, double width, double height)
{
    sheet->places[sheet->place_count++] = (struct place){ at, width, height };
}

struct point spacetime_on(const struct way *way, double part)
{
    double dx = way->b.x - way->a.x, dy = way->b.y - way->a.y, length = fmax(hypot(dx, dy), 1);
    double aside = 4 * way->bow * part * (1 - part);
    return (struct point){ way->a.x + part * dx - aside * dy / length,
                           way->a.y + part * dy + aside * dx / length };
}

/* May a way touch a box at all? Most do not, and need no closer look. */
static bool is_near(const struct way *way, struct point at, double width, double height)
{
    double x = (fabs(way->b.x - way->a.x) + width) / 2 + fabs(way->bow);
    double y = (fabs(way->b.y - way->a.y) + height) / 2 + fabs(way->bow);
    return fabs((way->a.x + way->b.x) / 2 - at.x) < x && fabs((way->a.y + way->b.y) / 2 - at.y) < y;
}

/* Does a way go through a dot that is not one of its ends? Only dots are as small as that. */
static bool hits_dot(const struct sheet *sheet, const struct way *way)
{
    for (int i = 0; i < sheet->place_count; i++) {
        const struct place *p = &sheet->places[i];
        bool end = hypot(p->at.x - way->a.x, p->at.y - way->a.y) < 12 ||
                   hypot(p->at.x - way->b.x, p->at.y - way->b.y) < 12;
        if (end || p->width != DOT || !is_near(way, p->at, 2 * DOT, 2 * DOT))
            continue;
        for (int k = 1; k < 60; k++) {
            struct point at = spacetime_on(way, k / 60.0);
            if (hypot(at.x - p->at.x, at.y - p->at.y) < DOT)
                return true;
        }
    }
    return false;
}

double spacetime_bow(const struct sheet *sheet, struct way way)
{
    static const double bows[] = { 0, 16, -16, 26, -26, 38, -38, 52, -52 };
    for (size_t i = 0; i < sizeof bows / sizeof bows[0]; i++) {
        way.bow = bows[i];
        if (!hits_dot(sheet, &way))
            return bows[i];
    }
    return 0;
}

/* How much of what is there already a tag would hide. */
static double hidden(const struct sheet *sheet, struct point at, double width, double height)
{
    double area = 0;
    for (int i = 0; i < sheet->place_count; i++) {
        const struct place *p = &sheet->places[i];
        double x = (p->width + width) / 2 - fabs(p->at.x - at.x);
        double y = (p->height + height) / 2 - fabs(p->at.y - at.y);
        area += x > 0 && y > 0 ? x * y : 0;
    }
    return area;
}

/* How many other arrows go behind a tag. */
static int crossed(const struct sheet *sheet, int message, struct point at, double width, double height)
{
    int count = 0;
    for (int i = 0; i < sheet->way_count; i++) {
        const struct way *way = &sheet->ways[i];
        bool inside = false, look = way->message != message && is_near(way, at, width, height);
        for (int k = 0; k <= 60 && !inside && look; k++) {
            struct point p = spacetime_on(way, k / 60.0);
            inside = fabs(p.x - at.x) < width / 2 && fabs(p.y - at.y) < height / 2;
        }
        count += inside;
    }
    return count;
}

struct point spacetime_free(struct sheet *sheet, const struct way *way, double width, double height)
{
    double rows = fmax(fabs(way->b.y - way->a.y) / ROW, 1), best = INFINITY;
    struct point found = way->a;
    for (int i = 0; i <= 80; i++) {
        double part = 0.06 + 0.88 * i / 80;
        struct point at = spacetime_on(way, part);
        double cost = hidden(sheet, at, width + 4, height + 6) + fabs(part - 0.5 / rows);
        cost += 0.6 * crossed(sheet, way->message, at, width, height);
        found = cost < best - 1e-9 ? at : found;
        best = fmin(best, cost);
    }
    spacetime_take(sheet, found, width, height);
    return found;
}
