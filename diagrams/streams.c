/*
 * streams.c: what the streams of each rank's GPU were busy with: a row for each stream and one for communication, time to
 * the right, by the clock.
 */
#include "draw.h"

#include <math.h>
#include <string.h>

#define ROW 30.0
#define GAP 16.0 /* between ranks */
#define WIDTH 900.0

/* What is being drawn. */
struct bands {
    struct picture *p;
    const struct run *run;
    double from, to;            /* microseconds */
    bool used[RUN_STREAMS + 1]; /* which streams any rank has; 0: communication */
    int rows;                   /* of a rank */
};

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

static double x_of(const struct bands *b, double time)
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

static const char *short_name(const struct slice *slice)
{
    const char *line = strchr(slice->name, '_');
    bool ours = strncmp(slice->name, "tensor_", 7) == 0 || strncmp(slice->name, "dist_", 5) == 0;
    return ours ? line + 1 : slice->name;
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
    double left = x_of(b, slice->begin), right = x_of(b, slice->end), width = fmax(right - left, 2.5);
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
    bool fits = text_width(short_name(slice), 12) < width - 4 && !is_covered(b, slice);
    dot_node(b->p, "s", b->p->parts++, (struct point){ left + width / 2, y_of(b, row, slice->stream) }, box,
             fits ? short_name(slice) : "");
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

bool draw_streams(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    struct bands b = { .p = p, .run = run };
    char line[160];
    struct overlap all = overlap_of(run, -1);
    measure(&b);
    if (run->slice_count == 0 || b.to <= b.from)
        return snprintf(why, 200, "no stream was busy in this run; are its tensors on a GPU (DEVICE=sim)?"),
               false;
    snprintf(line, sizeof line,
             "%d ranks; blue computes, amber communicates or waits for the others; %.0f %% of what could be "
             "hidden was hidden",
             run->ranks, 100 * overlap_share(all));
    dot_begin(p, "streams");
    dot_title(p, (struct point){ WIDTH / 2, 52 },
              wish->title ? wish->title : "What the streams were busy with", line);
    for (int row = 0; row < row_count(run); row++)
        draw_rank(&b, row);
    for (int i = 0; i < run->slice_count; i++)
        draw_slice(&b, &run->slices[i]);
    draw_axis(&b);
    dot_end(p);
    return true;
}
