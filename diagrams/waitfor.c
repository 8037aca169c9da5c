/*
 * waitfor.c: who waits for whom, from the report of a run that got stuck (DIST_REPORT=file.json):
 *
 *   { "class": "deadlock", "sentence": "...",
 *     "ranks": [ { "rank": 0, "state": "waiting", "call": "dist_send", "peer": 1 }, ... ],
 *     "waits": [[0, 1], [1, 0]], "cycle": [0, 1] }
 *
 * state is waiting, calling, computing, left or absent; other members are not looked at. The ranks of the cycle
 * stand on a circle, the others in columns beside it.
 */
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ASIDE 24 /* ranks beside the circle; more are counted */
#define IN_COLUMN 6

/* One rank of the report. */
struct stuck {
    char text[64];
    bool named, left; /* left: it has ended, or does not wait */
    int place;        /* in the cycle; -1 */
    bool drawn;
    struct point at;
};

struct graph {
    struct picture *p;
    struct stuck rank[RUN_RANKS];
    int ranks;
    int cycle[MOST_RANKS];
    int cycle_length; /* 0: there is none, or it is too long to be drawn */
    const struct value *waits;
    double radius, right; /* right: the last column */
    int aside;            /* ranks beside the circle, drawn or not */
};

/* ---- reading ------------------------------------------------------------------------ */

static void read_rank(struct graph *g, const struct value *entry)
{
    int rank = (int)value_whole(entry, "rank", 0, RUN_RANKS - 1, -1);
    int peer = (int)value_whole(entry, "peer", -1, RUN_RANKS - 1, -2);
    const char *state = value_text(entry, "state", ""), *call = value_text(entry, "call", state);
    if (rank < 0)
        return;
    struct stuck *s = &g->rank[rank];
    s->named = true;
    s->left = strcmp(state, "waiting") != 0;
    call += strncmp(call, "dist_", 5) == 0 ? 5 : 0;
    call = strcmp(call, "recv") == 0 ? "receive" : call;
    if (strcmp(state, "left") == 0)
        snprintf(s->text, sizeof s->text, "rank %d\nfinished", rank);
    else if (peer == -1)
        snprintf(s->text, sizeof s->text, "rank %d\n%.24s from any", rank, call);
    else if (peer >= 0)
        snprintf(s->text, sizeof s->text, "rank %d\n%.24s %s %d", rank, call,
                 strstr(call, "rec") ? "from" : "to", peer);
    else
        snprintf(s->text, sizeof s->text, "rank %d\n%.30s", rank, call);
    g->ranks = rank >= g->ranks ? rank + 1 : g->ranks;
}

static void read_cycle(struct graph *g, const struct value *list)
{
    for (const struct value *item = list ? list->first : NULL; item; item = item->next) {
        int rank = item->kind == VALUE_NUMBER && item->number >= 0 && item->number < RUN_RANKS
                       ? (int)item->number
                       : -1;
        if (g->cycle_length == MOST_RANKS || rank < 0 || !g->rank[rank].named || g->rank[rank].place >= 0) {
            g->cycle_length = 0; /* not one, or too long for a circle: everybody stands aside */
            break;
        }
        g->rank[rank].place = g->cycle_length;
        g->cycle[g->cycle_length++] = rank;
    }
    for (int i = 0; g->cycle_length == 0 && i < RUN_RANKS; i++)
        g->rank[i].place = -1;
}

static bool read_report(struct graph *g, const struct value *report, char *why)
{
    const struct value *ranks = value_member(report, "ranks");
    if (!ranks || ranks->kind != VALUE_ARRAY)
        return snprintf(why, 200, "it holds no list of ranks; is it a report (DIST_REPORT)?"), false;
    for (int i = 0; i < RUN_RANKS; i++)
        g->rank[i].place = -1;
    for (const struct value *entry = ranks->first; entry; entry = entry->next)
        read_rank(g, entry);
    read_cycle(g, value_member(report, "cycle"));
    g->waits = value_member(report, "waits");
    return g->ranks > 0 || (snprintf(why, 200, "its list of ranks is empty"), false);
}

/* ---- placing ------------------------------------------------------------------------ */

static void place_all(struct graph *g)
{
    int n = g->cycle_length;
    g->radius = n == 0 ? 0 : n == 1 ? 60 : fmax(120, 150 / 2 / sin(PI / n));
    for (int i = 0; i < n; i++) {
        double angle = PI / 2 - 2 * PI * i / n;
        g->rank[g->cycle[i]].at = (struct point){ 1.12 * g->radius * cos(angle), g->radius * sin(angle) };
        g->rank[g->cycle[i]].drawn = true;
    }
    double left = n > 0 ? 1.12 * g->radius + 170 : 0;
    for (int rank = 0; rank < g->ranks; rank++) {
        struct stuck *s = &g->rank[rank];
        if (!s->named || s->place >= 0)
            continue;
        int place = g->aside++;
        s->drawn = place < ASIDE;
        s->at = (struct point){ left + 190.0 * (place / IN_COLUMN), 100.0 - 115.0 * (place % IN_COLUMN) };
        if (s->drawn)
            g->right = fmax(g->right, s->at.x);
    }
}

/* ---- drawing ------------------------------------------------------------------------ */

static void draw_rank(const struct graph *g, int rank)
{
    const struct stuck *s = &g->rank[rank];
    bool in_cycle = s->place >= 0;
    struct node box = {
        .style = "rounded,filled", .width = fmax(94, text_width(s->text, 13) + 12), .height = 45, .size = 13
    };
    box.fill = in_cycle ? RED_PALE : SIDE;
    box.color = in_cycle ? RED : GREY;
    box.pen = in_cycle ? 2.4 : 2;
    if (s->left) {
        box.style = "rounded,filled,dashed";
        box.ink = SOFT;
    }
    dot_node(g->p, "r", rank, s->at, box, s->text);
}

/* Where a line from the middle of a box, towards another point, leaves it. */
static struct point edge_of(const struct stuck *s, struct point towards)
{
    double dx = towards.x - s->at.x, dy = towards.y - s->at.y;
    double half = fmax(94, text_width(s->text, 13) + 12) / 2 + 4;
    double scale = fmin(fabs(dx) > 0 ? half / fabs(dx) : INFINITY, fabs(dy) > 0 ? 27 / fabs(dy) : INFINITY);
    return (struct point){ s->at.x + dx * fmin(scale, 1), s->at.y + dy * fmin(scale, 1) };
}

/* Bent outward, away from the middle of the circle, or to the left of its way. */
static void draw_wait(const struct graph *g, int from, int to)
{
    const struct stuck *a = &g->rank[from], *b = &g->rank[to];
    bool in_cycle = a->place >= 0 && b->place == (a->place + 1) % g->cycle_length;
    double dx = b->at.x - a->at.x, dy = b->at.y - a->at.y, length = hypot(dx, dy);
    if (from == to || !a->drawn || !b->drawn || length == 0)
        return;
    double bend = in_cycle ? 0.28 * length : 0.1 * length;
    struct point middle = { (a->at.x + b->at.x) / 2 - bend * dy / length,
                            (a->at.y + b->at.y) / 2 + bend * dx / length };
    struct point start = edge_of(a, middle), end = edge_of(b, middle);
    struct point c = { start.x + (middle.x - start.x) * 2 / 3, start.y + (middle.y - start.y) * 2 / 3 };
    struct point d = { end.x + (middle.x - end.x) * 2 / 3, end.y + (middle.y - end.y) * 2 / 3 };
    dot_curve(g->p, start, c, d, end,
              in_cycle ? (struct stroke){ .color = RED, .width = 2.8 }
                       : (struct stroke){ .color = GREY, .width = 2 });
}

static void draw_cycle_text(const struct graph *g)
{
    char text[160] = "cycle\n";
    for (int i = 0; i <= g->cycle_length; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%d", i ? " > " : "", g->cycle[i % g->cycle_length]);
    }
    dot_text(g->p, (struct point){ 0, 0 }, 13, RED_INK, text);
}

static void make_title(const struct graph *g, const struct value *report, char *text, size_t size)
{
    if (g->cycle_length == 0) {
        snprintf(text, size, "Stuck: %.60s", value_text(report, "class", "nobody can move"));
    } else if (g->cycle_length > 6) {
        snprintf(text, size, "Deadlock: %d ranks wait for each other", g->cycle_length);
    } else {
        size_t used = (size_t)snprintf(text, size, "Deadlock: ranks ");
        for (int i = 0; i < g->cycle_length; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%d",
                                     !i                         ? ""
                                     : i + 1 == g->cycle_length ? " and "
                                                                : ", ",
                                     g->cycle[i]);
        snprintf(text + used, size - used, " wait for each other");
    }
}

static void draw_all(struct graph *g, const struct value *report, const struct wish *wish)
{
    char title[160], line[200];
    make_title(g, report, title, sizeof title);
    snprintf(line, sizeof line, "an arrow points at the rank that is waited for%s",
             g->cycle_length ? "; red is the cycle that no rank can leave" : "");
    if (g->aside > ASIDE)
        snprintf(line + strlen(line), sizeof line - strlen(line), "; %d more ranks are not drawn",
                 g->aside - ASIDE);
    place_all(g);
    double top = fmax(g->radius, 75) + 80, left = g->cycle_length ? -1.12 * g->radius : 0;
    dot_begin(g->p, "waitfor");
    dot_title(g->p, (struct point){ (left + fmax(g->right, -left)) / 2, top },
              wish->title ? wish->title : title, line);
    for (int rank = 0; rank < g->ranks; rank++)
        if (g->rank[rank].drawn)
            draw_rank(g, rank);
    for (const struct value *pair = g->waits ? g->waits->first : NULL; pair; pair = pair->next) {
        const struct value *from = pair->kind == VALUE_ARRAY ? pair->first : NULL,
                           *to = from ? from->next : NULL;
        if (to && from->kind == VALUE_NUMBER && to->kind == VALUE_NUMBER && from->number >= 0 &&
            to->number >= 0 && from->number < g->ranks && to->number < g->ranks)
            draw_wait(g, (int)from->number, (int)to->number);
    }
    if (g->cycle_length > 1)
        draw_cycle_text(g);
    dot_end(g->p);
}

bool draw_waitfor(struct picture *p, struct json *json, const struct wish *wish, char *why)
{
    struct graph *g = calloc(1, sizeof *g);
    const struct value *report = json_value(json);
    bool good = g && report && json_ends(json);
    if (!g)
        snprintf(why, 200, "the system gives no memory");
    else if (!good)
        snprintf(why, 200, "%s", json->why);
    if (good) {
        g->p = p;
        good = read_report(g, report, why);
    }
    if (good)
        draw_all(g, report, wish);
    free(g);
    return good;
}
