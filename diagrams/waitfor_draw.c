/*
 * waitfor_draw.c: the drawing of waitfor.h. Lengths are points, y grows upwards.
 *
 *        r0                  (title)
 *      /    \
 *    r2  --  r1   <-- r3     the ring at 0,0 and a column of the others
 */
#include "waitfor_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 5 /* in a column */

static bool in_cycle(const struct waitfor_picture *picture, int rank)
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

static bool do_the_same(const struct page *page, int a, int b)
{
    const struct waitfor_picture *picture = page->picture;
    if (picture->finished[a] != picture->finished[b] || strcmp(picture->doing[a], picture->doing[b]) != 0)
        return false;
    for (int rank = 0; rank < picture->count; rank++)
        if (rank != a && rank != b && waitfor_waits(page, a, rank) != waitfor_waits(page, b, rank))
            return false;
    return true;
}

/* Beside the ring: one by one, or if they are many those that do the same in one box. */
static void choose_others(struct page *page, int left)
{
    const struct waitfor_picture *picture = page->picture;
    bool many = left > ROWS;
    for (int rank = 0; rank < picture->count && left > 0; rank++) {
        int i = page->ring;
        if (in_cycle(picture, rank))
            continue;
        while (i < page->count && !(many && do_the_same(page, page->boxes[i].rank, rank)))
            i++;
        if (i < page->count) {
            page->boxes[i].alike++;
            page->boxes[i].last = rank;
        } else if (page->count == page->ring + WAITFOR_MOST - 1 && left > 1) {
            add_box(page, -left, false);
            return;
        } else {
            add_box(page, rank, false);
        }
        left--;
    }
}

/* Around the ring: the cycle, or if there is none all. Of too many the first and the last. */
static void choose_boxes(struct page *page)
{
    const struct waitfor_picture *picture = page->picture;
    bool cycle = picture->cycle_count > 0;
    int ring = cycle ? picture->cycle_count : picture->count;
    bool cut = ring > WAITFOR_MOST;
    for (int i = 0; i < ring; i++) {
        if (cut && i == WAITFOR_MOST / 2)
            add_box(page, -(ring - WAITFOR_MOST + 1), cycle);
        if (!cut || i < WAITFOR_MOST / 2 || i > ring - WAITFOR_MOST / 2)
            add_box(page, cycle ? picture->cycle[i] : i, cycle);
    }
    page->ring = page->count;
    if (cycle)
        choose_others(page, picture->count - ring);
}

double waitfor_angle(const struct page *page, int i)
{
    return PI / 2 - 2 * PI * i / page->ring;
}

struct point waitfor_on_ring(const struct page *page, double angle)
{
    return (struct point){ page->rx * cos(angle), page->ry * sin(angle) };
}

/* As wide as its text, about. */
static double half_width(const struct page *page, const struct box *box)
{
    return box->rank < 0 ? HALF_WIDTH
                         : fmax(HALF_WIDTH, 8 + 3 * (double)strlen(page->picture->doing[box->rank]));
}

static void place_boxes(struct page *page)
{
    double radius = page->ring * 150.0 / (2 * PI);
    page->ry = page->ring == 2 ? 85 : fmax(radius, 120);
    page->rx = page->ry * 1.12;
    if (page->ring == 1)
        page->rx = page->ry = 0;
    for (int i = 0; i < page->ring; i++)
        page->boxes[i].at = waitfor_on_ring(page, waitfor_angle(page, i));
    int others = page->count - page->ring;
    int columns = (others + ROWS - 1) / ROWS, rows = columns ? (others + columns - 1) / columns : 0;
    for (int i = 0; i < others; i++) {
        int column = i / rows, row = i % rows;
        page->boxes[page->ring + i].at =
            (struct point){ page->rx + 160 + 160 * column, (rows - 1) / 2.0 * ROW - row * ROW };
    }
    page->left = -page->rx;
    page->right = page->rx;
    for (int i = 0; i < page->count; i++) {
        struct box *box = &page->boxes[i];
        box->half = half_width(page, box);
        page->left = fmin(page->left, box->at.x - box->half);
        page->right = fmax(page->right, box->at.x + box->half);
        page->top = fmax(page->top, box->at.y);
    }
}

/* ---- the parts ------------------------------------------------------------------------- */

static void draw_box(struct page *page, int i)
{
    const struct box *box = &page->boxes[i];
    bool dashed = box->rank < 0 || page->picture->finished[box->rank];
    fprintf(page->file,
            "  r%s%d [shape=box, style=\"rounded,filled%s\", width=%.2f, height=0.62, fillcolor=\"%s\", "
            "color=\"%s\"%s, fontsize=13, label=\"",
            box->rank < 0 ? "est" : "", abs(box->rank), dashed ? ",dashed" : "", box->half / 36,
            box->red ? RED_PALE : SIDE, box->red ? RED : GREY,
            box->red ? ", penwidth=2.4"
            : dashed ? ", fontcolor=\"" SOFT "\""
                     : "");
    waitfor_label(page, box);
    dot_point(page->file, "\", pos=\"", box->at);
    fputs("\"];\n", page->file);
}

static void draw_edge(struct page *page, int from, int to, bool red)
{
    const struct box *a = &page->boxes[from], *b = &page->boxes[to];
    fprintf(page->file, "  %s%d -> %s%d [color=\"%s\"%s, pos=\"", a->rank < 0 ? "rest" : "r", abs(a->rank),
            b->rank < 0 ? "rest" : "r", abs(b->rank), red ? RED : GREY, red ? ", penwidth=2.8" : "");
    if (red && from != to)
        waitfor_arc(page, from, to);
    else
        waitfor_line(page, from, to);
    fprintf(page->file, "\"];\n");
}

static bool next_in_cycle(const struct page *page, int from, int to)
{
    return page->picture->cycle_count > 0 && from < page->ring && to == (from + 1) % page->ring;
}

static void draw_edges(struct page *page)
{
    for (int i = 0; i < page->ring && page->picture->cycle_count > 0; i++)
        draw_edge(page, i, (i + 1) % page->ring, true);
    for (int i = 0; i < page->count; i++)
        for (int j = 0; j < page->count; j++)
            if (waitfor_waits(page, page->boxes[i].rank, page->boxes[j].rank) && !next_in_cycle(page, i, j))
                draw_edge(page, i, j, false);
}

/* ---- the whole ------------------------------------------------------------------------- */

bool waitfor_waits(const struct page *page, int from, int to)
{
    return from >= 0 && to >= 0 && page->waits[(size_t)from * (size_t)page->picture->count + (size_t)to];
}

static bool *note_waits(const struct waitfor_picture *picture)
{
    size_t count = (size_t)picture->count;
    bool *waits = calloc(count * count, sizeof *waits);
    for (int i = 0; waits && i < picture->edge_count; i++)
        waits[(size_t)picture->edges[i][0] * count + (size_t)picture->edges[i][1]] = true;
    return waits;
}

bool waitfor_write(const struct waitfor_picture *picture, FILE *file)
{
    struct page page = { .picture = picture, .file = file, .waits = note_waits(picture) };
    if (!page.waits)
        return false;
    choose_boxes(&page);
    place_boxes(&page);
    dot_begin(&(struct picture){ .file = file }, "waitfor");
    waitfor_head(&page);
    for (int i = 0; i < page.count; i++)
        draw_box(&page, i);
    draw_edges(&page);
    waitfor_cycle_name(&page);
    fputs("}\n", file);
    free(page.waits);
    return !ferror(file);
}
