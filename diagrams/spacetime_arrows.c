/* spacetime_arrows.c: messages as arrows between the lines of two ranks. */
#include "spacetime.h"

#include <math.h>

double spacetime_x(double column)
{
    return column * COLUMN;
}

double spacetime_y(const struct sheet *sheet, int rank)
{
    return -ROW * row_of(sheet->run, rank);
}

bool spacetime_shows(const struct sheet *sheet, int act)
{
    return row_of(sheet->run, sheet->run->acts[act].rank) >= 0 && sheet->order->spot[act].at <= sheet->last;
}

/* The clock stands on the side where no arrow is. */
static void draw_clock(const struct sheet *sheet, int act, bool below)
{
    const struct spot *spot = &sheet->order->spot[act];
    char text[16];
    if (spot->clock == 0 || sheet->time)
        return;
    snprintf(text, sizeof text, "%d", spot->clock);
    double y = spacetime_y(sheet, sheet->run->acts[act].rank) + (below ? -14 : 14);
    dot_text(sheet->p, (struct point){ spacetime_x(spot->at), y }, 10.5, SOFT, text);
}

static bool is_free(const struct sheet *sheet, struct point at, double width)
{
    for (int i = 0; i < sheet->tag_count; i++) {
        const struct tag *tag = &sheet->tags[i];
        if (fabs(tag->at.x - at.x) < (tag->width + width) / 2 + 4 && fabs(tag->at.y - at.y) < 21)
            return false;
    }
    return true;
}

/* A place on the arrow between two rows, the nearest to its start that no other tag has. */
static struct point place_tag(struct sheet *sheet, struct point a, struct point b, double width)
{
    static const double parts[] = { 0.5, 0.35, 0.65, 0.2, 0.8 };
    int gaps = (int)(fabs(b.y - a.y) / ROW + 0.5);
    struct point at = { a.x + (b.x - a.x) * 0.5 / gaps, a.y + (b.y - a.y) * 0.5 / gaps };
    bool placed = is_free(sheet, at, width);
    for (int try = 1; !placed && try < 5 * gaps; try++) {
        double part = (try / 5 + parts[try % 5]) / gaps;
        struct point there = { a.x + part * (b.x - a.x), a.y + part * (b.y - a.y) };
        placed = is_free(sheet, there, width);
        at = placed ? there : at;
    }
    sheet->tags[sheet->tag_count++] = (struct tag){ at, width };
    return at;
}

void spacetime_arrow(struct sheet *sheet, int message)
{
    const struct message *m = &sheet->run->messages[message];
    char text[160];
    int src = sheet->run->acts[m->send].rank, dst = sheet->run->acts[m->done].rank;
    if (!spacetime_shows(sheet, m->send) || !spacetime_shows(sheet, m->done) || src == dst)
        return;
    struct point a = { spacetime_x(sheet->order->spot[m->send].at), spacetime_y(sheet, src) };
    struct point b = { spacetime_x(sheet->order->spot[m->done].at), spacetime_y(sheet, dst) };
    double length = hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    struct point from = { a.x + 6 * ux, a.y + 6 * uy }, to = { b.x - 6 * ux, b.y - 6 * uy };
    dot_line(sheet->p, from, to, (struct stroke){ .color = rank_strong(src) });
    words_message(sheet->run, message, text, sizeof text);
    dot_tag(sheet->p, place_tag(sheet, a, b, text_width(text, 11) + 12), rank_strong(src), 11, text);
    draw_clock(sheet, m->send, dst < src);
    draw_clock(sheet, m->done, dst > src);
}
