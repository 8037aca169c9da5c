/*
 * spacetime.c: a line for each rank, time to the right, an arrow for each message.
 *
 * A dot is an event, a number beside it its Lamport clock (--clocks); a pale bar is waiting, a coloured one computing.
 */
#include "spacetime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_COLUMNS 90

/* A span is as wide as its name needs. */
static double span_width(const struct act *span)
{
    return ceil((text_width(span->name, 11) + 10) / COLUMN);
}

static void draw_rank(const struct sheet *sheet, int rank)
{
    char name[16];
    snprintf(name, sizeof name, "rank %d", rank);
    struct node box = { .style = "rounded,filled", .width = 58, .height = 29 };
    box.fill = rank_pale(rank);
    box.color = rank_strong(rank);
    for (int strip = 0; strip < sheet->strips; strip++) {
        struct point end = spacetime_in(sheet, strip, rank, sheet->begin[strip + 1] + 0.3);
        dot_node(sheet->p, "L", strip * sheet->run->ranks + rank, (struct point){ -12, end.y }, box, name);
        dot_line(sheet->p, (struct point){ 17, end.y }, end,
                 (struct stroke){ .color = GREY, .width = 1.4, .head = "vee" });
    }
}

void spacetime_dot(struct sheet *sheet, int act, double right, bool hollow)
{
    const struct spot *spot = &sheet->order->spot[act];
    int rank = sheet->run->acts[act].rank;
    struct node dot = { .shape = "circle", .style = "filled", .width = DOT, .height = DOT, .pen = 1.2 };
    dot.color = hollow ? rank_strong(rank) : "white";
    dot.fill = hollow ? "white" : rank_strong(rank);
    struct point at = spacetime_at(sheet, rank, spot->at);
    at.x += right;
    dot_node(sheet->p, "e", act, at, dot, "");
    spacetime_take(sheet, at, DOT, DOT);
}

static void draw_wait(const struct sheet *sheet, int act, const char *color)
{
    const struct spot *spot = &sheet->order->spot[act];
    double to = fmin(spot->at, sheet->last);
    if (spot->from >= 0 && to - spot->from > 0.05)
        spacetime_bar(sheet, sheet->run->acts[act].rank, spot->from, to, color, BAR);
}

/* A box, behind which arrows pass; what goes on in the next strip has no name there. */
static void draw_span(const struct sheet *sheet, int act)
{
    const struct spot *spot = &sheet->order->spot[act];
    const struct act *span = &sheet->run->acts[act];
    const char *name = span->name;
    struct node box = {
        .style = "filled", .fill = rank_strong(span->rank), .ink = "white", .pen = -1, .size = 11
    };
    for (int strip = spacetime_strip(sheet, spot->from);
         strip < sheet->strips && sheet->begin[strip] < spot->at; strip++) {
        double from = fmax(spot->from, sheet->begin[strip]), to = fmin(spot->at, sheet->begin[strip + 1]);
        struct point middle = spacetime_in(sheet, strip, span->rank, (from + to) / 2);
        box.width = (to - from) * sheet->column;
        box.height = 17;
        if (box.width > 0)
            dot_node(sheet->p, "n", sheet->p->parts++, middle, box,
                     text_width(name, 11) < box.width ? name : "");
        name = "";
    }
}

/* Waiting and computing lie under everything else. */
static void draw_bars(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->run->count; i++) {
        const struct act *act = &sheet->run->acts[i];
        bool waits = act->kind == ACT_RECV || act->kind == ACT_WAIT ||
                     (act->kind == ACT_COLLECTIVE && act->finished < 0);
        bool stuck = act->unfinished && (waits || act->kind == ACT_SEND);
        if (!spacetime_shows(sheet, i))
            continue;
        if (stuck)
            spacetime_bar(sheet, act->rank, sheet->order->spot[i].from, sheet->last + 0.6, RED_PALE, BAR);
        else if (waits)
            draw_wait(sheet, i, PALE);
        if (act->kind == ACT_SPAN)
            draw_span(sheet, i);
    }
}

static void draw_dots(struct sheet *sheet)
{
    for (int i = 0; i < sheet->run->count; i++) {
        const struct act *act = &sheet->run->acts[i];
        bool arrives = act->kind == ACT_RECV && !act->unfinished;
        bool leaves = act->kind == ACT_SEND || act->kind == ACT_ISEND;
        if (spacetime_shows(sheet, i) && (arrives || leaves || act->kind == ACT_IRECV))
            spacetime_dot(sheet, i, 0, act->kind == ACT_IRECV);
    }
    for (int i = 0; i < sheet->run->message_count; i++) {
        int done = sheet->run->messages[i].done;
        if (sheet->run->acts[done].kind == ACT_WAIT && spacetime_shows(sheet, done))
            spacetime_dot(sheet, done, 0, false);
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
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s%s%s",
             sheet->clocks ? "a number is an event's Lamport clock" : "time runs to the right",
             waits ? "; a pale bar is waiting" : "", spans ? "; a coloured bar is computing" : "",
             starts ? "; a hollow dot: a receive is started" : "", meets ? "; a line down: a collective" : "",
             stuck ? "; red: for ever" : "", sheet->same ? "; each message: " : "",
             sheet->same ? sheet->each : "", sheet->again ? "; no words: the same again" : "",
             sheet->run->ranks > MOST_RANKS ? "; only the first and the last 8 ranks" : "",
             sheet->cut ? "; only the beginning" : "");
}

/* ---- many ranks -------------------------------------------------------------------- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Where nothing happens on the lines that are drawn, time is cut out: every gap becomes one column at most. */
static bool close_gaps(const struct run *run, struct order *order)
{
    double *used = malloc((2 * (size_t)run->count + 1) * sizeof *used), *place = NULL;
    size_t count = 0;
    for (int i = 0; used && i < run->count; i++)
        if (row_of(run, run->acts[i].rank) >= 0 && order->spot[i].known && run->acts[i].kind != ACT_OTHER) {
            used[count++] = fmax(order->spot[i].from, 0);
            used[count++] = fmax(order->spot[i].at, 0);
        }
    if (used)
        qsort(used, count, sizeof *used, by_size);
    place = malloc((count + 1) * sizeof *place);
    for (size_t i = 0; used && place && i < count; i++)
        place[i] = i == 0 ? used[0] : place[i - 1] + fmin(used[i] - used[i - 1], 1);
    for (int i = 0; used && place && i < run->count; i++) {
        double *ends[] = { &order->spot[i].from, &order->spot[i].at };
        for (int e = 0; e < 2; e++) {
            const double *found = count ? bsearch(ends[e], used, count, sizeof *used, by_size) : NULL;
            if (found)
                *ends[e] = place[found - used];
        }
    }
    order->end = used && place && count ? place[count - 1] : order->end;
    bool good = used && place;
    free(used);
    free(place);
    return good;
}

static void draw_all(struct sheet *sheet, const struct wish *wish)
{
    char line[600], title[80];
    spacetime_tags(sheet);
    subtitle(sheet, line, sizeof line);
    snprintf(title, sizeof title, "%d rank%s, as it happened", sheet->run->ranks,
             sheet->run->ranks > 1 ? "s" : "");
    double most = 300;
    for (int strip = 0; strip < sheet->strips; strip++)
        most = fmax(most, spacetime_in(sheet, strip, 0, sheet->begin[strip + 1] + 0.3).x);
    dot_begin(sheet->p, "spacetime");
    dot_title(sheet->p, (struct point){ most / 2 - 20, 60 }, wish->title ? wish->title : title, line);
    for (int row = 0; row < row_count(sheet->run); row++)
        draw_rank(sheet, rank_of_row(sheet->run, row));
    draw_bars(sheet);
    spacetime_meetings(sheet);
    draw_dots(sheet);
    spacetime_arrows(sheet);
    dot_end(sheet->p);
}

bool draw_spacetime(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    const struct order_style style = {
        .step = 1, .travel = 2, .width = span_width, .time = wish->time, .columns = 16
    };
    struct order order;
    if (!order_find(&order, run, &style))
        return snprintf(why, 200, "the system gives no memory"), false;
    bool good = run->ranks <= MOST_RANKS || wish->time || close_gaps(run, &order);
    struct sheet sheet = { .p = p, .run = run, .order = &order, .time = wish->time };
    sheet.clocks = wish->clocks && !wish->time;
    sheet.last = fmin(fmax(order.end, 3), MOST_COLUMNS);
    sheet.cut = order.end > MOST_COLUMNS;
    spacetime_cut(&sheet);
    sheet.places = calloc(5 * (size_t)run->message_count + 3 * (size_t)run->count + 1, sizeof *sheet.places);
    sheet.ways = calloc(STRIPS * (size_t)run->message_count + 1, sizeof *sheet.ways);
    good = good && sheet.places && sheet.ways;
    if (good)
        draw_all(&sheet, wish);
    else
        snprintf(why, 200, "the system gives no memory");
    free(sheet.ways);
    free(sheet.places);
    order_free(&order);
    return good;
}
