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

struct point spacetime_free(struct sheet *sheet, struct point a, struct point b, double width, double height)
{
    double rows = fmax(fabs(b.y - a.y) / ROW, 1), best = INFINITY;
    struct point found = a;
    for (int i = 0; i <= 80; i++) {
        double part = 0.06 + 0.88 * i / 80;
        struct point at = { a.x + part * (b.x - a.x), a.y + part * (b.y - a.y) };
        double cost = hidden(sheet, at, width + 4, height + 2) + fabs(part - 0.5 / rows);
        found = cost < best - 1e-9 ? at : found;
        best = fmin(best, cost);
    }
    spacetime_take(sheet, found, width, height);
    return found;
}
