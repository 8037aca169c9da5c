/*
 * streams.c: what the streams of each rank's GPU were busy with: a row for each stream and one for communication, time to
 * the right, by the clock.
 */
#include "streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW 30.0
#define GAP 16.0 /* between ranks */
#define WIDTH 900.0

static void measure(struct bands *b)
{
    b->from = INFINITY;
    for (int i = 0; i < b->run->slice_count; i++) {
        const struct slice *slice = &b->run->slices[i];
        b->from = fmin(b->from, slice->begin);
        b->to = fmax(b->to, slice->end);
        b->rows += !b->used[slice->stream + 1];
        b->used[slice->stream + 1] = true;
    }
}

double streams_x(const struct bands *b, double time)
{
    return (time - b->from) / (b->to - b->from) * WIDTH;
}

/* Streams by their number, communication below them. */
static double y_of(const struct bands *b, int row, int stream)
{
    int below = 0;
    for (int s = 0; s < RUN_STREAMS; s++)
        below += b->used[s + 1] && (stream < 0 || s < stream);
    return -(row * (b->rows * ROW + GAP) + below * ROW);
}

static void draw_ground(struct bands *b, int row, int stream)
{
    char name[40];
    double y = y_of(b, row, stream);
    struct node ground = { .style = "filled", .pen = -1, .fill = GROUND, .width = WIDTH, .height = ROW - 6 };
    dot_node(b->p, "g", b->p->parts++, (struct point){ WIDTH / 2, y }, ground, "");
    if (stream < 0)
        snprintf(name, sizeof name, "communication");
    else if (stream == 0)
        snprintf(name, sizeof name, "default stream");
    else
        snprintf(name, sizeof name, "stream %d", stream);
    dot_text(b->p, (struct point){ -52, y }, 12, SOFT, name);
}

static void draw_rank(struct bands *b, int row)
{
    char name[24];
    snprintf(name, sizeof name, "rank %d", rank_of_row(b->run, row));
    dot_text(b->p, (struct point){ -138, y_of(b, row, 0) - (b->rows - 1) * ROW / 2 }, 13, INK, name);
    for (int stream = -1; stream < RUN_STREAMS; stream++)
        if (b->used[stream + 1])
            draw_ground(b, row, stream);
}

/* The name, or as much of it as fits: "dist_all_reduce", "all_reduce"; "forward 3", "3"; "". */
static const char *name_for(const struct slice *slice, double width)
{
    const char *line = strchr(slice->name, '_'), *last = strrchr(slice->name, ' ');
    bool ours = strncmp(slice->name, "tensor_", 7) == 0 || strncmp(slice->name, "dist_", 5) == 0;
    const char *name = ours ? line + 1 : slice->name;
    if (text_width(name, 12) >= width && last && last[1] >= '0' && last[1] <= '9')
        name = last + 1;
    return text_width(name, 12) < width ? name : "";
}

/* Does a box that is drawn later lie on this one, and perhaps on its name? Operations of one stream can be under way together. */
static bool is_covered(const struct bands *b, const struct slice *slice)
{
    const struct slice *end = b->run->slices + b->run->slice_count;
    for (const struct slice *later = slice + 1; later < end; later++)
        if (later->rank == slice->rank && later->stream == slice->stream && later->begin < slice->end &&
            later->end > slice->begin)
            return true;
    return false;
}

static void draw_slice(struct bands *b, const struct slice *slice)
{
    int row = row_of(b->run, slice->rank);
    double left = streams_x(b, slice->begin), right = streams_x(b, slice->end),
           width = fmax(right - left, 2.5);
    bool copies = strcmp(slice->name, "copy") == 0;
    struct node box = { .style = "filled",
                        .pen = width < 5 ? -1 : 1,
                        .color = "white",
                        .width = width,
                        .height = ROW - 6,
                        .size = 12 };
    if (row < 0)
        return;
    box.fill = slice->stream < 0 ? AMBER : copies ? GREY : BLUE;
    box.ink = slice->stream < 0 ? INK : "white";
    const char *name = is_covered(b, slice) ? "" : name_for(slice, width - 4);
    dot_node(b->p, "s", b->p->parts++, (struct point){ left + width / 2, y_of(b, row, slice->stream) }, box,
             name);
}

static void draw_axis(struct bands *b)
{
    char text[40];
    double y = -(row_count(b->run) * (b->rows * ROW + GAP)) + 4;
    dot_line(b->p, (struct point){ 0, y }, (struct point){ WIDTH, y }, (struct stroke){ .color = GREY });
    snprintf(text, sizeof text, "%.1f ms", (b->to - b->from) / 1000);
    /* A wide number may not make the page wider, and all else smaller. */
    double middle = WIDTH - text_width(text, 12) / 2;
    dot_text(b->p, (struct point){ middle < WIDTH - 20 ? middle : WIDTH - 20, y - 14 }, 12, SOFT, text);
}

static bool draw_bands(struct bands *b, struct overlap all, const struct wish *wish, char *why)
{
    char line[160];
    measure(b);
    if (b->run->slice_count == 0 || b->to <= b->from)
        return snprintf(why, 200,
                        wish->name ? "no span \"%.60s\" has put anything into a stream (--nth counts from 0)"
                                   : "no stream was busy in this run; are its tensors on a GPU (DEVICE=sim)?",
                        wish->name),
               false;
    snprintf(line, sizeof line,
             "%d rank%s; blue computes, amber communicates or waits for the others; %.0f %% of what could be "
             "hidden was hidden",
             b->run->ranks, b->run->ranks > 1 ? "s" : "", 100 * overlap_share(all));
    dot_begin(b->p, "streams");
    dot_title(b->p, (struct point){ WIDTH / 2, wish->name ? 82 : 52 },
              wish->title ? wish->title : "What the streams were busy with", line);
    for (int row = 0; row < row_count(b->run); row++)
        draw_rank(b, row);
    if (wish->name)
        streams_headings(b);
    for (int i = 0; i < b->run->slice_count; i++)
        draw_slice(b, &b->run->slices[i]);
    draw_axis(b);
    dot_end(b->p);
    return true;
}

bool draw_streams(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    struct run part = { 0 };
    struct bands b = { .p = p, .run = run };
    if (wish->name) {
        if (!streams_from(&part, run, wish->name, wish->nth))
            return snprintf(why, 200, "the system gives no memory"), false;
        b.run = &part;
    }
    struct overlap all = overlap_of(b.run, -1);
    if (wish->name)
        streams_join(&part);
    bool good = draw_bands(&b, all, wish, why);
    free(part.slices);
    return good;
}
