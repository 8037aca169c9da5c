/*
 * picture.c: the drawing of picture.h. Lengths are points, y grows upwards.
 *
 *        r0                  (title)
 *      /    \
 *    r2  --  r1   <-- r3     the circle at 0,0 and a column of the others
 */
#include "picture_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 5 /* in a column */

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

static bool has_edge(const struct picture *picture, int from, int to)
{
    for (int i = 0; i < picture->edge_count; i++)
        if (picture->edges[i][0] == from && picture->edges[i][1] == to)
            return true;
    return false;
}

static bool do_the_same(const struct picture *picture, int a, int b)
{
    if (picture->finished[a] != picture->finished[b] || strcmp(picture->doing[a], picture->doing[b]) != 0)
        return false;
    for (int rank = 0; rank < picture->count; rank++)
        if (rank != a && rank != b && has_edge(picture, a, rank) != has_edge(picture, b, rank))
            return false;
    return true;
}

/* Beside the circle: one by one, or if they are many those that do the same in one box. */
static void choose_others(struct page *page, int left)
{
    const struct picture *picture = page->picture;
    bool many = left > ROWS;
    for (int rank = 0; rank < picture->count && left > 0; rank++) {
        int i = page->ring;
        if (in_cycle(picture, rank))
            continue;
        while (i < page->count && !(many && do_the_same(picture, page->boxes[i].rank, rank)))
            i++;
        if (i < page->count) {
            page->boxes[i].alike++;
            page->boxes[i].last = rank;
        } else if (page->count == page->ring + PICTURE_MOST - 1 && left > 1) {
            add_box(page, -left, false);
            return;
        } else {
            add_box(page, rank, false);
        }
        left--;
    }
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
    if (circle)
        choose_others(page, picture->count - ring);
}

double picture_angle(const struct page *page, int i)
{
    return PI / 2 - 2 * PI * i / page->ring;
}

struct point picture_on_ring(const struct page *page, double angle)
{
    return (struct point){ page->rx * cos(angle), page->ry * sin(angle) };
}

static void place_boxes(struct page *page)
{
    double radius = page->ring * 128.0 / (2 * PI);
    page->ry = page->ring == 2 ? 85 : radius > 120 ? radius : 120;
    page->rx = page->ry * 1.12;
    if (page->ring == 1)
        page->rx = page->ry = 0;
    for (int i = 0; i < page->ring; i++)
        page->boxes[i].at = picture_on_ring(page, picture_angle(page, i));
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

/* ---- the parts ------------------------------------------------------------------------- */

static void draw_head(struct page *page)
{
    const struct picture *picture = page->picture;
    const char *subtitle = picture->subtitle;
    double left = page->ring > 1 ? -page->rx - HALF_WIDTH : -HALF_WIDTH, top = 0;
    for (int i = 0; i < page->count; i++)
        top = fmax(top, page->boxes[i].at.y);
    if (!subtitle)
        subtitle =
            picture->cycle_count
                ? "an arrow points at the rank that is waited for; red is the cycle that no rank can leave"
                : "an arrow points at the rank that is waited for";
    fprintf(page->file,
            "digraph waitfor {\n"
            "  graph [bgcolor=\"white\", pad=\"0.3\", splines=true, outputorder=edgesfirst, "
            "fontname=\"Helvetica,Arial,sans-serif\"];\n"
            "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=14, fontcolor=\"#1F2933\", "
            "fixedsize=true, "
            "margin=0, penwidth=2];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, color=\"#52606D\", penwidth=2, "
            "arrowsize=0.85];\n");
    double center = (left + page->right) / 2;
    fprintf(page->file,
            "  title [shape=plaintext, width=%.2f, height=0.3, fontsize=19, fontname=\"Helvetica-Bold\", "
            "label=\"%s\", pos=\"%.1f,%.1f\"];\n",
            (double)strlen(picture->title) * 0.17, picture->title, center, top + 115);
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
            box->rank < 0 ? "est" : "", abs(box->rank), dashed ? ",dashed" : "", 1.45,
            box->red ? "#FDE2E1" : "#F1F4F7", box->red ? "#D92D20" : "#9AA5B1",
            box->red ? ", penwidth=2.4"
            : dashed ? ", fontcolor=\"#52606D\""
                     : "");
    if (box->rank < 0)
        fprintf(page->file, "%d more\\nranks", -box->rank);
    else if (box->alike == 0)
        fprintf(page->file, "rank %d\\n%s", box->rank, page->picture->doing[box->rank]);
    else if (box->last - box->rank == box->alike)
        fprintf(page->file, "ranks %d to %d\\n%s", box->rank, box->last, page->picture->doing[box->rank]);
    else
        fprintf(page->file, "%d ranks\\n%s", box->alike + 1, page->picture->doing[box->rank]);
    fprintf(page->file, "\", pos=\"%.2f,%.2f\"];\n", box->at.x, box->at.y);
}

static int box_of(const struct page *page, int rank)
{
    for (int i = 0; i < page->count; i++)
        if (page->boxes[i].rank == rank)
            return i;
    return -1;
}

static void draw_edge(struct page *page, int from, int to, bool red)
{
    if (from < 0 || to < 0)
        return;
    fprintf(page->file, "  %s%d -> ", page->boxes[from].rank < 0 ? "rest" : "r", abs(page->boxes[from].rank));
    fprintf(page->file, "%s%d [color=\"%s\"%s, pos=\"", page->boxes[to].rank < 0 ? "rest" : "r",
            abs(page->boxes[to].rank), red ? "#D92D20" : "#9AA5B1", red ? ", penwidth=2.8" : "");
    if (red && from != to)
        picture_arc(page, from, to);
    else
        picture_line(page, from, to);
    fprintf(page->file, "\"];\n");
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
    fprintf(page->file, "%d\", fontsize=13, fontcolor=\"#B42318\", width=2.0, height=0.6, pos=\"0,%d\"];\n",
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
        draw_edge(page, i, (i + 1) % page->ring, true);
    }
    draw_cycle_name(page);
    for (int i = 0; i < picture->edge_count; i++) {
        int from = picture->edges[i][0], to = picture->edges[i][1];
        bool red = false;
        for (int j = 0; j < picture->cycle_count; j++)
            red = red || (picture->cycle[j] == from && picture->cycle[(j + 1) % picture->cycle_count] == to);
        if (!red)
            draw_edge(page, box_of(page, from), box_of(page, to), false);
    }
    fprintf(file, "}\n");
    free(page);
    return !ferror(file);
}
