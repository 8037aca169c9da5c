#define _GNU_SOURCE
#include "fuzz_one.h"
#include "../diagrams/draw.h"
#include "../diagrams/play_svg.h"

#include <stdlib.h>
#include <string.h>

typedef bool drawing(struct picture *p, const struct run *run, const struct wish *wish, char *why);

void fuzz_check_sentence(const char *why)
{
    if (!why[0] || strchr(why, '\n'))
        abort();
}

static void draw_one(drawing *draw, const struct run *run, bool time)
{
    char *text = NULL, why[200] = "";
    size_t size;
    struct picture p = { .file = open_memstream(&text, &size) };
    struct wish wish = { .time = time };
    if (p.file && !draw(&p, run, &wish, why))
        fuzz_check_sentence(why);
    if (p.file)
        fclose(p.file);
    free(text);
}

static double no_width(const struct act *span)
{
    (void)span;
    return 1;
}

static void play_one(const struct run *run, bool blocks)
{
    const struct order_style style = { .step = 1, .travel = 2, .width = no_width };
    const struct command command = { .title = "fuzz", .caption = "", .blocks = blocks };
    struct order order;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (run->ranks <= SVG_RANKS && run->message_count <= SVG_MESSAGES && file &&
        order_find(&order, run, &style)) {
        play_svg(file, run, &order, &command);
        order_free(&order);
    }
    if (file)
        fclose(file);
    free(text);
}

static bool as_trace(const void *bytes, size_t size)
{
    static drawing *const drawings[] = { draw_flow,   draw_spacetime, draw_schedule, draw_collective,
                                         draw_matrix, draw_streams,   draw_overlap };
    struct run run;
    bool good = run_read_bytes(&run, bytes, size);
    if (!good)
        fuzz_check_sentence(run.why);
    for (size_t i = 0; good && i < sizeof drawings / sizeof drawings[0]; i++)
        draw_one(drawings[i], &run, size % 2);
    if (good) {
        play_one(&run, size % 2);
        run_cut(&run, 0, 1);
        draw_one(draw_spacetime, &run, false);
    }
    run_free(&run);
    return good;
}

static bool as_report(const void *bytes, size_t size)
{
    char *text = NULL, why[200] = "";
    size_t length;
    struct json json;
    struct wish wish = { 0 };
    struct picture p = { .file = open_memstream(&text, &length) };
    bool good = p.file && json_open_bytes(&json, bytes, size) && draw_waitfor(&p, &json, &wish, why);
    if (p.file && !good)
        fuzz_check_sentence(json.why[0] ? json.why : why);
    if (p.file) {
        json_close(&json);
        fclose(p.file);
    }
    free(text);
    return good;
}

int fuzz_one(const void *bytes, size_t size)
{
    bool trace = as_trace(bytes, size), report = as_report(bytes, size);
    return trace || report;
}
