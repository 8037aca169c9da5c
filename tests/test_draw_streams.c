/* test_draw_streams.c: does the picture of the streams tell, if asked, what the program's spans have put into them? */
#define _POSIX_C_SOURCE 200809L
#include "../diagrams/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(draw_streams, .timeout = 60);

#define SPAN(name, number, at, length) \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"cat\":\"compute\",\"pid\":1,\"tid\":1,\"ts\":" #at \
    ",\"dur\":" #length ",\"args\":{\"event\":" #number "}},"
#define BUSY(name, stream, asked, at, length) \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"cat\":\"stream\",\"pid\":1,\"tid\":900,\"ts\":" #at \
    ",\"dur\":" #length ",\"args\":{\"stream\":" #stream ",\"asked\":" #asked "}},"

/* The host asks from 10 to 36, while the GPU works from 100 to 600; event 4, a barrier, stands among the spans. */
static const char spans[] =
    "{\"traceEvents\": [" SPAN("warm", 0, 10, 5) SPAN("step", 1, 20, 16) SPAN("forward 0", 2, 22, 3)
        SPAN("forward 1", 3, 27,
             3) "{\"ph\":\"X\",\"name\":\"barrier\",\"cat\":\"comm\",\"pid\":1,\"tid\":2,"
                "\"ts\":90,\"dur\":1,\"args\":{\"event\":4}}," BUSY("fill", 0, 5, 90, 9)
                    BUSY("tensor_matmul", 0, 12, 100, 90) BUSY("dist_all_gather", -1, 21, 200, 90)
                        BUSY("tensor_matmul", 0, 23, 200, 100) BUSY("tensor_add", 0, 24, 300, 50)
                            BUSY("tensor_matmul", 0, 28, 360, 80) BUSY("tensor_add", 0, 29, 440, 60)
                                BUSY("dist_all_gather", -1, 26, 300, 50) BUSY("fill", 0, 35, 510, 5)
                                    BUSY("fill", 0, 50, 600, 10) "{}]}";

static int times(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

static char *streams_of(const char *name, int nth, char *why)
{
    char *dot = NULL;
    size_t length;
    struct run run;
    struct picture p = { .file = open_memstream(&dot, &length) };
    cr_assert(run_read_bytes(&run, spans, strlen(spans)), "%s", run.why);
    bool good = draw_streams(&p, &run, &(struct wish){ .name = name, .nth = nth }, why);
    fclose(p.file);
    run_free(&run);
    if (good)
        return dot;
    free(dot);
    return NULL;
}

/* Kernels of a span are one box with its name; the span around them stands above; what came before, or was asked for outside of
 * all spans, is left out. */
Test(draw_streams, are_told_by_their_spans)
{
    char why[200] = "";
    char *all = streams_of(NULL, 0, why), *step = streams_of("step", 0, why);
    cr_assert(all && step, "%s", why);
    cr_expect(times(all, "  s") == 10 + 1, "%d boxes, and a subtitle", times(all, "  s"));
    cr_expect(times(step, "  s") == 5 + 1, "%d boxes, and a subtitle", times(step, "  s"));
    cr_expect(times(step, "label=\"forward 0\"") == 1 && times(step, "label=\"forward 1\"") == 1);
    cr_expect(times(step, "label=\"all_gather\"") == 2 && times(step, "label=\"step\"") == 1);
    cr_expect(times(step, "matmul") == 0 && times(step, "fill\"") == 0 && times(step, "warm") == 0);
    free(all);
    free(step);
    cr_expect_null(streams_of("step", 1, why));
    cr_expect(strstr(why, "no span \"step\""), "%s", why);
}
