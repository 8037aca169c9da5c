/*
 * picture.c: the drawing of picture.h. Lengths are points, y grows upwards.
 *
 *        r0                  (title)
 *      /    \
 *    r2  --  r1   <-- r3     the circle at 0,0 and a column of the others
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WIDTH 52.0 /* of a box */
#define HALF_HEIGHT 22.5
#define GAP 9.0 /* between a box and the end of an arrow */
#define HEAD 9.0 /* length of an arrow's head */
#define ROW 84.0 /* from one box beside the circle to the next */
#define ROWS 5 /* in a column */
#define PI 3.14159265358979323846

struct point {
    double x, y;
};

/* A box: one rank, or (rank < 0) the place of those that are left out. */
struct box {
    int rank;
    bool red; /* of the circle */
    struct point at;
};

struct page {
    const struct picture *picture;
    FILE *file;
    struct box boxes[PICTURE_MOST + 2];
    int count;
    int ring; /* the first so many stand around the circle */
    double rx, ry;
    double right; /* border of all boxes */
};

static bool in_cycle(const struct picture *picture, int rank)
{
    for (int i = 0; i < picture->cycle_count; i++)
        if (picture->cycle[i] == rank)
            return true;
    return false;
}

/* ---- where everything stands ---------------------------------------------------------- */

static void add_box(struct page *page, int rank, bool red)
{
    page->boxes[page->count++] = (struct box){ .rank = rank, .red = red };
}

/* Around the circle: its ranks, or if there is none all. Of too many the first and the last. */
static void choose_boxes(struct page *page)
{
    const struct picture *picture = page->picture;
    bool circle = picture->cycle_count > 0;
    int ring = circle ? picture->cycle_count : picture->count;
    bool cut = ring > PICTURE_MOST;
    for (int i = 0; i < ring; i++) {
        if (cut && i == PICTURE_MOST / 2)
            add_box(page, -(ring - PICTURE_MOST + 1), circle);
        if (!cut || i < PICTURE_MOST / 2 || i > ring - PICTURE_MOST / 2)
            add_box(page, circle ? picture->cycle[i] : i, circle);
    }
    page->ring = page->count;
    int left = circle ? picture->count - ring : 0;
    for (int rank = 0; rank < picture->count && left > 0; rank++) {
        if (in_cycle(picture, rank))
            continue;
        if (page->count == PICTURE_MOST && left > 1) {
            add_box(page, -left, false);
            return;
        }
        add_box(page, rank, false);
        left--;
    }
}

static double angle_of(const struct page *page, int i)
{
    double start = page->ring == 2 ? PI : PI / 2;
    return start - 2 * PI * i / page->ring;
}

static struct point on_ring(const struct page *page, double angle)
{
    return (struct point){ page->rx * cos(angle), page->ry * sin(angle) };
}

static void place_boxes(struct page *page)
{
    double radius = page->ring * 128.0 / (2 * PI);
    page->ry = page->ring == 2 ? 70 : radius > 120 ? radius : 120;
    page->rx = page->ring == 2 ? 120 : page->ry * 1.12;
    if (page->ring == 1)
        page->rx = page->ry = 0;
    for (int i = 0; i < page->ring; i++)
        page->boxes[i].at = on_ring(page, angle_of(page, i));
    int others = page->count - page->ring;
    int columns = (others + ROWS - 1) / ROWS, rows = columns ? (others + columns - 1) / columns : 0;
    for (int i = 0; i < others; i++) {
        int column = i / rows, row = i % rows;
        page->boxes[page->ring + i].at =
            (struct point){ page->rx + 160 + 160 * column, (rows - 1) / 2.0 * ROW - row * ROW };
    }
    for (int i = 0; i < page->count; i++)
        page->right = fmax(page->right, page->boxes[i].at.x + HALF_WIDTH);
}

/* ---- arrows --------------------------------------------------------------------------- */

static bool inside(struct point box, struct point p, double margin)
{
    return fabs(p.x - box.x) < HALF_WIDTH + margin && fabs(p.y - box.y) < HALF_HEIGHT + margin;
}

/* Along the ring, clockwise, as a curve in two pieces. */
static void draw_arc(struct page *page, int from, int to)
{
    double step = 0.002, a = angle_of(page, from), b = angle_of(page, to);
    struct point here = page->boxes[from].at, there = page->boxes[to].at;
    while (b >= a)
        b -= 2 * PI;
    while (inside(here, on_ring(page, a), GAP / 2))
        a -= step;
    while (inside(there, on_ring(page, b), GAP / 3))
        b += step;
    struct point tip = on_ring(page, b);
    while (hypot(on_ring(page, b).x - tip.x, on_ring(page, b).y - tip.y) < HEAD && b < a - step)
        b += step;
    fprintf(page->file, "e,%.2f,%.2f", tip.x, tip.y);
    double part = (b - a) / 2, k = 4.0 / 3.0 * tan(part / 4);
    for (int i = 0; i < 2; i++) {
        double u = a + part * i, v = u + part;
        struct point p = on_ring(page, u), q = on_ring(page, v);
        if (i == 0)
            fprintf(page->file, " %.2f,%.2f", p.x, p.y);
        fprintf(page->file, " %.2f,%.2f %.2f,%.2f %.2f,%.2f", p.x - k * page->rx * sin(u),
                p.y + k * page->ry * cos(u), q.x + k * page->rx * sin(v), q.y - k * page->ry * cos(v), q.x, q.y);
    }
}

/* Straight, or bowed to the side by `bow` times its length. */
static void draw_line(struct page *page, struct point from, struct point to, double bow)
{
    double dx = to.x - from.x, dy = to.y - from.y, t0 = 0, t1 = 1;
    struct point middle = { from.x + dx / 2 - dy * bow, from.y + dy / 2 + dx * bow };
#define AT(t) \
    ((struct point){ (1 - (t)) * (1 - (t)) * from.x + 2 * (t) * (1 - (t)) * middle.x + (t) * (t) * to.x, \
                     (1 - (t)) * (1 - (t)) * from.y + 2 * (t) * (1 - (t)) * middle.y + (t) * (t) * to.y })
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
            begin.x + (c.x - begin.x) * 2 / 3, begin.y + (c.y - begin.y) * 2 / 3, end.x + (c.x - end.x) * 2 / 3,
            end.y + (c.y - end.y) * 2 / 3, end.x, end.y);
}

/* A rank that waits for itself. */
static void draw_loop(struct page *page, struct point at)
{
    double x = at.x + HALF_WIDTH, y = at.y;
    fprintf(page->file, "e,%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", x + 2, y - 10, x + 2, y + 10, x + 50,
            y + 34, x + 50, y - 34, x + 10, y - 13);
}

static int box_of(const struct page *page, int rank)
{
    for (int i = 0; i < page->count; i++)
        if (page->boxes[i].rank == rank)
            return i;
    return -1;
}

/* The column of the others is crossed least by lines that bow away from it. */
static double bow_of(const struct page *page, int from, int to)
{
    struct point a = page->boxes[from].at, b = page->boxes[to].at;
    if (from >= page->ring && to >= page->ring && fabs(a.x - b.x) < 1 && fabs(a.y - b.y) > ROW * 1.5)
        return a.y > b.y ? 0.3 : -0.3;
    return from < page->ring && to < page->ring ? 0.08 : 0;
}

static void draw_edge(struct page *page, int from, int to, bool red)
{
    int a = box_of(page, from), b = box_of(page, to);
    if (a < 0 || b < 0)
        return;
    fprintf(page->file, "  r%d -> r%d [color=\"%s\"%s, pos=\"", from, to, red ? "#D92D20" : "#9AA5B1",
            red ? ", penwidth=2.8" : "");
    if (a == b)
        draw_loop(page, page->boxes[a].at);
    else if (red)
        draw_arc(page, a, b);
    else
        draw_line(page, page->boxes[a].at, page->boxes[b].at, bow_of(page, a, b));
    fprintf(page->file, "\"];\n");
}

/* ---- the parts ------------------------------------------------------------------------- */

static void draw_head(struct page *page)
{
    const struct picture *picture = page->picture;
    const char *subtitle = picture->subtitle;
    double left = page->ring > 1 ? -page->rx - HALF_WIDTH : -HALF_WIDTH, top = 0;
    for (int i = 0; i < page->count; i++)
        top = fmax(top, page->boxes[i].at.y);
    if (!subtitle)
        subtitle = picture->cycle_count
                       ? "an arrow points at the rank that is waited for; red is the cycle that no rank can leave"
                       : "an arrow points at the rank that is waited for";
    fprintf(page->file,
            "digraph waitfor {\n"
            "  graph [bgcolor=\"white\", pad=\"0.3\", splines=true, outputorder=edgesfirst, "
            "fontname=\"Helvetica,Arial,sans-serif\"];\n"
            "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=14, fontcolor=\"#1F2933\", fixedsize=true, "
            "margin=0, penwidth=2];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, color=\"#52606D\", penwidth=2, "
            "arrowsize=0.85];\n");
    double center = (left + page->right) / 2;
    fprintf(page->file,
            "  title [shape=plaintext, width=%.2f, height=0.3, fontsize=19, fontname=\"Helvetica-Bold\", "
            "label=\"%s\", pos=\"%.1f,%.1f\"];\n",
            (double)strlen(picture->title) * 0.15, picture->title, center, top + 115);
    fprintf(page->file,
            "  subtitle [shape=plaintext, width=%.2f, height=0.25, fontsize=12.5, fontcolor=\"#52606D\", "
            "label=\"%s\", pos=\"%.1f,%.1f\"];\n",
            (double)strlen(subtitle) * 0.089, subtitle, center, top + 93);
}

static void draw_box(struct page *page, int i)
{
    const struct box *box = &page->boxes[i];
    bool dashed = box->rank < 0 || page->picture->finished[box->rank];
    fprintf(page->file,
            "  r%s%d [shape=box, style=\"rounded,filled%s\", width=%.2f, height=0.62, fillcolor=\"%s\", "
            "color=\"%s\"%s, fontsize=13, label=\"",
            box->rank < 0 ? "est" : "", box->rank < 0 ? i : box->rank, dashed ? ",dashed" : "", 1.45,
            box->red ? "#FDE2E1" : "#F1F4F7", box->red ? "#D92D20" : "#9AA5B1",
            box->red ? ", penwidth=2.4" : dashed ? ", fontcolor=\"#52606D\"" : "");
    if (box->rank < 0)
        fprintf(page->file, "%d more\\nranks", -box->rank);
    else
        fprintf(page->file, "rank %d\\n%s", box->rank, page->picture->doing[box->rank]);
    fprintf(page->file, "\", pos=\"%.2f,%.2f\"];\n", box->at.x, box->at.y);
}

static void draw_cycle_name(struct page *page)
{
    const struct picture *picture = page->picture;
    if (page->ring < 2 || picture->cycle_count == 0)
        return;
    fprintf(page->file, "  c [shape=plaintext, label=\"cycle\\n");
    for (int i = 0; i < picture->cycle_count; i++) {
        if (picture->cycle_count <= 6 || i < 3)
            fprintf(page->file, "%d > ", picture->cycle[i]);
        else if (i == 3)
            fprintf(page->file, "... > ");
    }
    fprintf(page->file, "%d\", fontsize=13, fontcolor=\"#B42318\", width=1.5, height=0.6, pos=\"0,%d\"];\n",
            picture->cycle[0], page->ring == 3 ? 6 : 0);
}

bool picture_write(const struct picture *picture, FILE *file)
{
    struct page *page = calloc(1, sizeof *page);
    if (!page)
        return false;
    page->picture = picture;
    page->file = file;
    choose_boxes(page);
    place_boxes(page);
    draw_head(page);
    for (int i = 0; i < page->count; i++)
        draw_box(page, i);
    for (int i = 0; i < page->ring && picture->cycle_count > 0; i++) {
        int next = (i + 1) % page->ring;
        draw_edge(page, page->boxes[i].rank, page->boxes[next].rank, true);
    }
    draw_cycle_name(page);
    for (int i = 0; i < picture->edge_count; i++) {
        int from = picture->edges[i][0], to = picture->edges[i][1];
        bool red = false;
        for (int j = 0; j < picture->cycle_count; j++)
            red = red || (picture->cycle[j] == from && picture->cycle[(j + 1) % picture->cycle_count] == to);
        if (!red)
            draw_edge(page, from, to, false);
    }
    fprintf(file, "}\n");
    free(page);
    return !ferror(file);
}
