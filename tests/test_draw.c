/* test_draw.c: does the drawing program refuse what is bad in one sentence, and draw the same picture every time? */
#define _GNU_SOURCE
#include "../diagrams/draw.h"
#include "fuzz_one.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_OF_FUZZ 3.0

TestSuite(draw, .timeout = 120);

/* ---- real traces ------------------------------------------------------------------- */

/* What DIST_TRACE writes for `traced mixed`, as bytes to be freed. */
static char *real_trace(const char *ranks, size_t *size)
{
    char setting[128], *text = NULL;
    struct started job;
    snprintf(setting, sizeof setting, "DIST_TRACE=/tmp/test_draw.%ld.json", (long)getpid());
    const char *path = setting + strlen("DIST_TRACE=");
    STARTED(&job, SETTINGS(ranks, setting), "traced", "mixed");
    FILE *file = fopen(path, "rb");
    cr_assert(job.status == 0 && file, "status %d: %s", job.status, job.stderr_text);
    struct stat status;
    fstat(fileno(file), &status);
    *size = (size_t)status.st_size;
    text = malloc(*size + 1);
    cr_assert(fread(text, 1, *size, file) == *size);
    text[*size] = 0;
    fclose(file);
    unlink(path);
    return text;
}

static const char report[] =
    "{\"class\": \"deadlock\", \"status\": 45, \"sentence\": \"they wait\", \"ranks\": ["
    "{\"rank\": 0, \"state\": \"waiting\", \"call\": \"dist_send\", \"peer\": 1, \"line\": 7},"
    "{\"rank\": 1, \"state\": \"waiting\", \"call\": \"dist_recv\", \"peer\": 2},"
    "{\"rank\": 2, \"state\": \"waiting\", \"call\": \"dist_all_reduce\", \"peer\": null},"
    "{\"rank\": 3, \"state\": \"left\", \"call\": null}], \"waits\": [[0,1],[1,2],[2,0],[2,3]], \"cycle\": "
    "[0,1,2]}";

/* ---- the picture is the same ------------------------------------------------------------ */

static char *picture_of(const char *text, size_t size,
                        bool (*draw)(struct picture *, const struct run *, const struct wish *, char *))
{
    char *dot = NULL, why[200] = "";
    size_t length;
    struct run run;
    struct picture p = { .file = open_memstream(&dot, &length) };
    cr_assert(run_read_bytes(&run, text, size), "%s", run.why);
    cr_expect(draw(&p, &run, &(struct wish){ 0 }, why), "%s", why);
    fclose(p.file);
    run_free(&run);
    return dot;
}

/* Any-source receives may take the messages in another order; everything else is decided by the program. */
Test(draw, two_runs_give_one_picture)
{
    size_t size[2];
    char *trace[2] = { real_trace("WORLD_SIZE=2", &size[0]), real_trace("WORLD_SIZE=2", &size[1]) };
    bool (*const all[])(struct picture *, const struct run *, const struct wish *,
                        char *) = { draw_flow, draw_spacetime, draw_schedule, draw_collective, draw_matrix };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char *first = picture_of(trace[0], size[0], all[i]), *second = picture_of(trace[1], size[1], all[i]);
        cr_expect_str_eq(first, second, "picture %zu", i);
        free(first);
        free(second);
    }
    free(trace[0]);
    free(trace[1]);
}

/* ---- bad input ------------------------------------------------------------------------- */

static const struct {
    const char *what, *text, *says;
} bad[] = {
    { "nothing", "", "empty" },
    { "no JSON", "hello", "object should begin" },
    { "another list", "[1, 2]", "object should begin" },
    { "no events", "{\"a\": 1}", "no traceEvents" },
    { "an empty list", "{\"traceEvents\": []}", "no event" },
    { "a number for an event", "{\"traceEvents\": [7]}", "no event" },
    { "a trace of others",
      "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}]}",
      "no event" },
    { "rank 100000",
      "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"x\",\"pid\":100001,\"args\":{\"event\":0}}]}", "no rank" },
    { "a number twice",
      "{\"traceEvents\": "
      "[{\"ph\":\"X\",\"pid\":1,\"args\":{\"event\":0}},{\"ph\":\"X\",\"pid\":1,\"args\":{\"event\":0}}]}",
      "same number" },
    { "a trailing comma", "{\"traceEvents\": [],}", "string should begin" },
    { "something behind", "{\"traceEvents\": []} x", "follows" },
    { "a huge number", "{\"a\": 1e999, \"traceEvents\": []}", "too large" },
    { "a leading zero", "{\"a\": 01, \"traceEvents\": []}", "a value is missing" },
    { "a broken escape", "{\"\\x\": 1}", "unknown escape" },
    { "half a pair", "{\"\\ud800\": 1}", "cannot be shown" },
    { "a zero in a name", "{\"\\u0000\": 1}", "cannot be shown" },
    { "no UTF-8", "{\"\xff\": 1}", "does not belong" },
    { "a line in a string", "{\"a\nb\": 1}", "does not belong" },
};

Test(draw, what_is_bad_is_refused_in_one_sentence)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct run run;
        bool good = run_read_bytes(&run, bad[i].text, strlen(bad[i].text));
        cr_expect(!good && strstr(run.why, bad[i].says), "%s: \"%s\"", bad[i].what,
                  good ? "was taken" : run.why);
        run_free(&run);
    }
}

Test(draw, brackets_without_end)
{
    enum { DEPTH = 1 << 20 };
    struct run run;
    char *text = malloc(DEPTH);
    memset(text, '[', DEPTH);
    memcpy(text, "{\"a\":", 5);
    cr_expect(!run_read_bytes(&run, text, DEPTH) && strstr(run.why, "too many brackets"), "%s", run.why);
    run_free(&run);
    free(text);
}

/* Every beginning of a real trace but the whole one. */
Test(draw, a_trace_that_was_cut_off)
{
    size_t size;
    char *trace = real_trace("WORLD_SIZE=2", &size);
    size_t whole = strlen(trace) - 2; /* the last bracket, and the end of the line */
    for (size_t length = 0; length <= whole; length += length < 2000 || length + 100 > whole ? 1 : 37) {
        struct run run;
        cr_assert(!run_read_bytes(&run, trace, length) && run.why[0], "%zu of %zu bytes were taken", length,
                  size);
        run_free(&run);
    }
    free(trace);
}

/* No run has such messages; their sum would be no number of bytes any more. */
Test(draw, sizes_beyond_all_bounds)
{
    enum { EVENTS = 8192 };
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs("{\"traceEvents\": [", file);
    for (int i = 0; i < 2 * EVENTS; i++)
        fprintf(file,
                "%s{\"ph\":\"X\",\"cat\":\"comm\",\"name\":\"%s\",\"pid\":%d,\"args\":{\"event\":%d,"
                "\"Src Rank\":0,\"Dst Rank\":1,\"message\":%d,\"bytes\":1125899906842624}}",
                i ? "," : "", i % 2 ? "recv" : "send", 1 + i % 2, i / 2, 1 + i / 2);
    fputs("]}", file);
    fclose(file);
    char *dot = picture_of(text, size, draw_matrix);
    cr_expect(strstr(dot, "across: who receives; 0 B in all"), "%.900s", dot);
    free(dot);
    free(text);
}

/* ---- fuzz ----------------------------------------------------------------------------- */

/* One to eight changes: a bit, a byte, a number, a piece left out or doubled. */
static size_t mutate(char *text, size_t size, size_t room, unsigned *seed)
{
    static const char *const words[] = { "-1", "0", "1e308", "4294967295", "null",
                                         "[",  "}", "\"",    "\\u0041",    "{}" };
    for (int changes = 1 + rand_r(seed) % 8; changes > 0 && size > 1; changes--) {
        size_t at = (size_t)rand_r(seed) % size, length = 1 + (size_t)rand_r(seed) % 40;
        length = length < size - at ? length : size - at;
        const char *word = words[rand_r(seed) % 10];
        switch (rand_r(seed) % 5) {
        case 0:
            text[at] ^= (char)(1 << rand_r(seed) % 8);
            break;
        case 1:
            text[at] = "0123456789\",:[]{}-."[rand_r(seed) % 19];
            break;
        case 2:
            if (strlen(word) <= size - at)
                memcpy(text + at, word, strlen(word));
            break;
        case 3:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        default:
            if (size + length <= room) {
                memmove(text + at + length, text + at, size - at);
                size += length;
            }
        }
    }
    return size;
}

Test(draw, mutated_traces_do_no_harm)
{
    const char *given = getenv("DIST_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL) ^ (unsigned)getpid();
    size_t size[3];
    char *seeds[3] = { real_trace("WORLD_SIZE=2", &size[0]), real_trace("WORLD_SIZE=3", &size[1]),
                       strdup(report) };
    size[2] = strlen(report);
    size_t room = 2 * size[1], understood = 0, tried = 0;
    char *text = malloc(room);
    printf("seed %u\n", seed);
    for (double until = seconds_now() + SECONDS_OF_FUZZ; seconds_now() < until; tried++) {
        int from = rand_r(&seed) % 3;
        memcpy(text, seeds[from], size[from]);
        understood += fuzz_one(text, mutate(text, size[from], room, &seed)) != 0;
    }
    printf("%zu mutations, %zu still understood\n", tried, understood);
    cr_expect(tried > 50 && understood > 0 && understood < tried);
    for (int i = 0; i < 3; i++)
        free(seeds[i]);
    free(text);
}
