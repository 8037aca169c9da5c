/*
 * spacetime.c: a line for each rank, time to the right, an arrow for each message.
 *
 * A dot is an event, the number beside it its Lamport clock; a pale bar is waiting, a coloured one computing.
 */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMN 52.0
#define ROW 78.0
#define MOST_COLUMNS 90
#define BAR 11.0

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
    double last; /* the last column that is drawn */
    bool time; /* no Lamport clocks */
};

static double x_of(double column)
{
    return column * COLUMN;
}

static double y_of(const struct sheet *sheet, int rank)
{
    return -ROW * row_of(sheet->run, rank);
}

static bool is_drawn(const struct sheet *sheet, int act)
{
    return row_of(sheet->run, sheet->run->acts[act].rank) >= 0 && sheet->order->spot[act].at <= sheet->last;
}

/* A span is as wide as its name needs. */
static double span_width(const struct act *span)
{
    return ceil((text_width(span->name, 11) + 10) / COLUMN);
}

static void draw_rank(const struct sheet *sheet, int rank)
{
    char name[16];
    double y = y_of(sheet, rank);
    snprintf(name, sizeof name, "rank %d", rank);
    struct node box = { .style = "rounded,filled", .width = 58, .height = 29 };
    box.fill = rank_pale(rank);
    box.color = rank_strong(rank);
    dot_node(sheet->p, "L", rank, (struct point){ -12, y }, box, name);
    dot_line(sheet->p, (struct point){ 17, y }, (struct point){ x_of(sheet->last + 1), y },
             (struct stroke){ .color = GREY, .width = 1.4, .head = "vee" });
}

static void draw_dot(const struct sheet *sheet, int act, bool hollow)
{
    const struct spot *spot = &sheet->order->spot[act];
    int rank = sheet->run->acts[act].rank;
    struct node dot = { .shape = "circle", .style = "filled", .width = 11, .height = 11, .pen = 1.2 };
    dot.color = hollow ? rank_strong(rank) : "white";
    dot.fill = hollow ? "white" : rank_strong(rank);
    dot_node(sheet->p, "e", act, (struct point){ x_of(spot->at), y_of(sheet, rank) }, dot, "");
}

/* The clock stands on the side where no arrow is. */
static void draw_clock(const struct sheet *sheet, int act, bool below)
{
    const struct spot *spot = &sheet->order->spot[act];
    char text[16];
    if (spot->clock == 0 || sheet->time)
        return;
    snprintf(text, sizeof text, "%d", spot->clock);
    double y = y_of(sheet, sheet->run->acts[act].rank) + (below ? -14 : 14);
    dot_text(sheet->p, (struct point){ x_of(spot->at), y }, 10.5, SOFT, text);
}

static void draw_wait(const struct sheet *sheet, int act, const char *color)
{
    const struct spot *spot = &sheet->order->spot[act];
    double y = y_of(sheet, sheet->run->acts[act].rank), to = fmin(spot->at, sheet->last);
    if (spot->from >= 0 && to - spot->from > 0.05)
        dot_bar(sheet->p, (struct point){ x_of(spot->from), y }, (struct point){ x_of(to), y }, color, BAR);
}

static void draw_span(const struct sheet *sheet, int act)
{
    const struct spot *spot = &sheet->order->spot[act];
    const struct act *span = &sheet->run->acts[act];
    double y = y_of(sheet, span->rank), from = x_of(spot->from), to = x_of(spot->at);
    dot_bar(sheet->p, (struct point){ from, y }, (struct point){ to, y }, rank_strong(span->rank), 17);
    if (text_width(span->name, 11) < to - from)
        dot_text(sheet->p, (struct point){ (from + to) / 2, y + 0.5 }, 11, "white", span->name);
}

/* Waiting and computing lie under everything else. */
static void draw_bars(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->run->count; i++) {
        const struct act *act = &sheet->run->acts[i];
        bool waits = act->kind == ACT_RECV || act->kind == ACT_WAIT ||
                     (act->kind == ACT_COLLECTIVE && act->finished < 0);
        bool stuck = act->unfinished && (waits || act->kind == ACT_SEND);
        if (!is_drawn(sheet, i))
            continue;
        if (stuck)
            dot_bar(sheet->p, (struct point){ x_of(sheet->order->spot[i].from), y_of(sheet, act->rank) },
                    (struct point){ x_of(sheet->last + 0.6), y_of(sheet, act->rank) }, RED_PALE, BAR);
        else if (waits)
            draw_wait(sheet, i, PALE);
        if (act->kind == ACT_SPAN)
            draw_span(sheet, i);
    }
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
    static const double parts[] = { 0.5, 0.3, 0.7 };
    int gaps = (int)(fabs(b.y - a.y) / ROW + 0.5);
    struct point first = { a.x + (b.x - a.x) * 0.5 / gaps, a.y + (b.y - a.y) * 0.5 / gaps }, at = first;
    for (int gap = 0; gap < gaps; gap++)
        for (int i = 0; i < 3; i++) {
            double part = (gap + parts[i]) / gaps;
            at = (struct point){ a.x + part * (b.x - a.x), a.y + part * (b.y - a.y) };
            if (is_free(sheet, at, width))
                goto done;
        }
    at = first;
done:
    sheet->tags[sheet->tag_count++] = (struct tag){ at, width };
    return at;
}

static void draw_arrow(struct sheet *sheet, int message)
{
    const struct message *m = &sheet->run->messages[message];
    char text[160];
    int src = sheet->run->acts[m->send].rank, dst = sheet->run->acts[m->done].rank;
    if (!is_drawn(sheet, m->send) || !is_drawn(sheet, m->done) || src == dst)
        return;
    struct point a = { x_of(sheet->order->spot[m->send].at), y_of(sheet, src) };
    struct point b = { x_of(sheet->order->spot[m->done].at), y_of(sheet, dst) };
    double length = hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    struct point from = { a.x + 6 * ux, a.y + 6 * uy }, to = { b.x - 6 * ux, b.y - 6 * uy };
    dot_line(sheet->p, from, to, (struct stroke){ .color = rank_strong(src) });
    words_message(sheet->run, message, text, sizeof text);
    dot_tag(sheet->p, place_tag(sheet, a, b, text_width(text, 11) + 12), rank_strong(src), 11, text);
    draw_clock(sheet, m->send, dst < src);
    draw_clock(sheet, m->done, dst > src);
}

/* One collective: a bracket down through the ranks that take part. */
static void draw_meeting(const struct sheet *sheet, const struct meeting *meeting, const int *acts)
{
    int top = -1, bottom = -1;
    double at = 0;
    for (int i = 0; i < meeting->count; i++) {
        const struct act *act = &sheet->run->acts[acts[meeting->first + i]];
        int here = act->finished >= 0 ? act->finished : acts[meeting->first + i];
        if (!is_drawn(sheet, here) || act->unfinished)
            continue;
        top = top < 0 ? here : top;
        bottom = here;
        at = fmax(at, sheet->order->spot[here].at);
    }
    if (top < 0)
        return;
    double y1 = y_of(sheet, sheet->run->acts[top].rank), y2 = y_of(sheet, sheet->run->acts[bottom].rank);
    const char *name = sheet->run->acts[acts[meeting->first]].name;
    dot_bar(sheet->p, (struct point){ x_of(at), y1 }, (struct point){ x_of(at), y2 }, SOFT, 2.4);
    dot_tag(sheet->p, (struct point){ x_of(at), y1 + 25 }, SOFT, 11, name);
    for (int i = 0; i < meeting->count; i++) {
        const struct act *act = &sheet->run->acts[acts[meeting->first + i]];
        int here = act->finished >= 0 ? act->finished : acts[meeting->first + i];
        if (is_drawn(sheet, here) && !act->unfinished)
            draw_dot(sheet, here, false);
    }
}

static void draw_meetings(const struct sheet *sheet)
{
    struct meeting *meetings;
    int *acts, count = order_meetings(sheet->run, &meetings, &acts);
    for (int i = 0; i < count; i++)
        draw_meeting(sheet, &meetings[i], acts);
    free(meetings);
    free(acts);
}

static void draw_dots(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->run->count; i++) {
        const struct act *act = &sheet->run->acts[i];
        bool arrives = act->kind == ACT_RECV && !act->unfinished;
        bool leaves = act->kind == ACT_SEND || act->kind == ACT_ISEND;
        if (is_drawn(sheet, i) && (arrives || leaves || act->kind == ACT_IRECV))
            draw_dot(sheet, i, act->kind == ACT_IRECV);
    }
    for (int i = 0; i < sheet->run->message_count; i++) {
        int done = sheet->run->messages[i].done;
        if (sheet->run->acts[done].kind == ACT_WAIT && is_drawn(sheet, done))
            draw_dot(sheet, done, false);
    }
}

/* What the reader has to know to read this one. */
static void subtitle(const struct sheet *sheet, char *text, size_t size)
{
    bool waits = false, spans = false, starts = false, stuck = false, meets = false;
    for (int i = 0; i < sheet->run->count; i++) {
        const struct act *act = &sheet->run->acts[i];
        waits |= act->kind == ACT_RECV || act->kind == ACT_WAIT || act->kind == ACT_COLLECTIVE;
        spans |= act->kind == ACT_SPAN;
        starts |= act->kind == ACT_IRECV;
        meets |= act->kind == ACT_COLLECTIVE;
        stuck |= act->unfinished && act->kind != ACT_OTHER;
    }
    snprintf(text, size, "%s%s%s%s%s%s%s",
             sheet->time ? "time runs to the right" : "a number is an event's Lamport clock",
             waits ? "; a pale bar is waiting" : "", spans ? "; a coloured bar is computing" : "",
             starts ? "; a ring: a receive is started" : "", meets ? "; a line down: a collective" : "",
             stuck ? "; red: for ever" : "",
             sheet->run->ranks > MOST_RANKS ? "; only the first and the last 8 ranks" : "");
}

static void draw_all(struct sheet *sheet, const struct wish *wish)
{
    char line[240], title[80];
    subtitle(sheet, line, sizeof line);
    snprintf(title, sizeof title, "%d ranks, as it happened", sheet->run->ranks);
    double most = fmax(x_of(sheet->last + 1), 300);
    dot_begin(sheet->p, "spacetime");
    dot_title(sheet->p, (struct point){ most / 2 - 20, 60 }, wish->title ? wish->title : title, line);
    for (int row = 0; row < row_count(sheet->run); row++)
        draw_rank(sheet, rank_of_row(sheet->run, row));
    draw_bars(sheet);
    draw_meetings(sheet);
    draw_dots(sheet);
    for (int i = 0; i < sheet->run->message_count; i++)
        draw_arrow(sheet, i);
    dot_end(sheet->p);
}

bool draw_spacetime(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    const struct order_style style = {
        .step = 1, .travel = 2, .width = span_width, .time = wish->time, .columns = 18
    };
    struct order order;
    if (!order_find(&order, run, &style))
        return snprintf(why, 200, "the system gives no memory"), false;
    struct sheet sheet = { .p = p, .run = run, .order = &order, .time = wish->time };
    sheet.last = fmin(fmax(order.end, 3), MOST_COLUMNS);
    sheet.tags = calloc((size_t)run->message_count + 1, sizeof *sheet.tags);
    if (sheet.tags)
        draw_all(&sheet, wish);
    else
        snprintf(why, 200, "the system gives no memory");
    bool good = sheet.tags != NULL;
    free(sheet.tags);
    order_free(&order);
    return good;
}
