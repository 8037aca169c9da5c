/*
 * schedule.c: who computes when: a row for each rank, a box for each span, and the share of time in which nobody does.
 *
 * By logic a span takes one slot, a backward one two, and a message no time; with --time the clock decides.
 */
#include "draw.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW 40.0
#define MOST_SLOTS 400.0

/* The kinds of spans that a run has: their names without the number. */
#define KINDS 6
struct kinds {
    int count;
    char name[KINDS][24];
};

static double slots(const struct act *span)
{
    return strncmp(span->name, "backward", 8) == 0 ? 2 : 1;
}

/* "forward 3" is of the kind "forward", number 3. Gives where the number begins. */
static size_t kind_length(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    return length;
}

static int kind_of(struct kinds *kinds, const char *name)
{
    char kind[24];
    size_t length = kind_length(name), used = length;
    while (used > 0 && name[used - 1] == ' ')
        used--;
    snprintf(kind, sizeof kind, "%.*s", (int)(used < 23 ? used : 23), name);
    for (int i = 0; i < kinds->count; i++)
        if (strcmp(kinds->name[i], kind) == 0)
            return i;
    if (kinds->count == KINDS)
        return KINDS - 1;
    memcpy(kinds->name[kinds->count], kind, sizeof kind);
    return kinds->count++;
}

/* Forward is blue and backward amber, wherever they stand. */
static void colour_of(const struct kinds *kinds, int kind, const char **fill, const char **ink)
{
    static const char *const others[KINDS] = { "#00805C", "#A8487F", "#6B5CA5",
                                               "#2E7F8F", "#B4432E", "#6E7A1F" };
    *ink = "white";
    *fill = others[kind];
    if (strncmp(kinds->name[kind], "forward", 7) == 0 || strcmp(kinds->name[kind], "work") == 0)
        *fill = BLUE;
    if (strncmp(kinds->name[kind], "backward", 8) == 0 || strcmp(kinds->name[kind], "add") == 0) {
        *fill = AMBER;
        *ink = INK;
    }
}

/* What is being drawn. */
struct chart {
    struct picture *p;
    const struct run *run;
    const struct order *order;
    struct kinds kinds;
    double from, to, slot; /* the columns in use; slot: width of a column */
    double busy, all;      /* columns */
};

/* Only the innermost spans are work; what holds others is a heading. */
static bool is_leaf(const struct run *run, int act)
{
    const struct act *span = &run->acts[act];
    return span->kind == ACT_SPAN && !span->unfinished &&
           (act + 1 == run->count || run->acts[act + 1].rank != span->rank ||
            run->acts[act + 1].kind != ACT_SPAN || run->acts[act + 1].begin >= span->end);
}

static void measure(struct chart *chart)
{
    chart->from = INFINITY;
    for (int i = 0; i < chart->run->count; i++) {
        const struct spot *spot = &chart->order->spot[i];
        if (!is_leaf(chart->run, i))
            continue;
        chart->from = fmin(chart->from, spot->from);
        chart->to = fmax(chart->to, spot->at);
        chart->busy += spot->at - spot->from;
        kind_of(&chart->kinds, chart->run->acts[i].name);
    }
    chart->all = (chart->to - chart->from) * chart->run->ranks;
    chart->slot = fmin(30, 1000 / fmax(chart->to - chart->from, 1));
}

static double x_of(const struct chart *chart, double column)
{
    return (column - chart->from) * chart->slot;
}

static void draw_row(const struct chart *chart, int row)
{
    char name[16];
    int rank = rank_of_row(chart->run, row);
    double right = x_of(chart, chart->to), y = -ROW * row;
    snprintf(name, sizeof name, "rank %d", rank);
    dot_text(chart->p, (struct point){ -34, y }, 13, INK, name);
    struct node ground = { .style = "filled", .pen = -1, .fill = GROUND, .width = right, .height = 34 };
    dot_node(chart->p, "g", rank, (struct point){ right / 2, y }, ground, "");
}

static void draw_span(struct chart *chart, int act)
{
    const struct act *span = &chart->run->acts[act];
    const struct spot *spot = &chart->order->spot[act];
    int row = row_of(chart->run, span->rank);
    if (!is_leaf(chart->run, act) || row < 0)
        return;
    double left = x_of(chart, spot->from), right = x_of(chart, spot->at);
    const char *number = span->name + kind_length(span->name);
    const char *label = text_width(span->name, 13) < right - left ? span->name : number;
    struct node box = {
        .style = "filled", .pen = 1.5, .color = "white", .width = right - left, .height = 34, .size = 13
    };
    if (chart->kinds.count > 1 && *number)
        label = number;
    if (text_width(label, 13) > right - left)
        label = "";
    colour_of(&chart->kinds, kind_of(&chart->kinds, span->name), &box.fill, &box.ink);
    dot_node(chart->p, "s", act, (struct point){ (left + right) / 2, -ROW * row }, box, label);
}

static void draw_key(struct chart *chart)
{
    double x = 8, y = -ROW * row_count(chart->run) - 4;
    for (int i = 0; i <= chart->kinds.count; i++) {
        bool idle = i == chart->kinds.count;
        const char *fill = GROUND, *ink, *name = idle ? "idle" : chart->kinds.name[i];
        struct node box = { .style = "filled", .pen = 1, .color = "#CBD2D9", .width = 14, .height = 14 };
        if (!idle)
            colour_of(&chart->kinds, i, &fill, &ink);
        box.fill = fill;
        dot_node(chart->p, "k", i, (struct point){ x, y }, box, "");
        double width = text_width(name, 12);
        dot_text(chart->p, (struct point){ x + 16 + width / 2, y }, 12, SOFT, name);
        x += width + 60;
    }
}

static void draw_all(struct chart *chart, const struct wish *wish)
{
    char line[200];
    const char *s = chart->run->ranks > 1 ? "s" : "";
    double share = chart->all > 0 ? 100 * (1 - chart->busy / chart->all) : 0;
    if (wish->time)
        snprintf(line, sizeof line,
                 "%d rank%s; each works %.0f %% of the time; the pale ground is the bubble (%.0f %%)",
                 chart->run->ranks, s, 100 - share, share);
    else
        snprintf(line, sizeof line,
                 "%d rank%s; %.0f slots, of which a rank works %.3g; the pale ground is the bubble (%.0f %%)",
                 chart->run->ranks, s, chart->to - chart->from, chart->busy / chart->run->ranks, share);
    dot_begin(chart->p, "schedule");
    dot_title(chart->p, (struct point){ fmax(x_of(chart, chart->to) / 2, 160), 38 },
              wish->title ? wish->title : "Who computes when", line);
    for (int row = 0; row < row_count(chart->run); row++)
        draw_row(chart, row);
    for (int i = 0; i < chart->run->count; i++)
        draw_span(chart, i);
    draw_key(chart);
    dot_end(chart->p);
}

bool draw_schedule(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    const struct order_style style = { .width = slots, .time = wish->time, .columns = 33 };
    struct order order;
    if (!order_find(&order, run, &style))
        return snprintf(why, 200, "the system gives no memory"), false;
    struct chart chart = { .p = p, .run = run, .order = &order };
    measure(&chart);
    bool good = chart.to > chart.from && chart.to - chart.from <= MOST_SLOTS;
    if (good)
        draw_all(&chart, wish);
    else
        snprintf(why, 200,
                 chart.to > chart.from ? "more than 400 slots: draw a part of it (--part)"
                                       : "nothing was computed inside a dist_span, so there is no schedule");
    order_free(&order);
    return good;
}
