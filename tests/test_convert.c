/*
 * test_convert.c: results for other programs (tests/tools/convert.c). Whatever bytes a message has, the file stays whole, and what
 * can be shown comes out as it went in.
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BROKEN "\xEF\xBF\xBD"
#define CONVERT "build/tests/tools/convert"

static char folder[] = "/tmp/convert.XXXXXX";
static char results[64], message[64];

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "we");
    cr_assert(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static void begin(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(results, sizeof results, "%s/results.tsv", folder);
    snprintf(message, sizeof message, "%s/message.txt", folder);
}

static void end(void)
{
    unlink(results);
    unlink(message);
    rmdir(folder);
}

TestSuite(convert, .init = begin, .fini = end);

/* One failed test with this message, as `format` has it. */
static const char *convert(const char *format, const char *bytes, size_t length)
{
    static struct started started;
    char line[200];
    snprintf(line, sizeof line, "03_ring/1_once_round\twhat_comes_home\t0\t6\tfailed\t3\t7\t%s\n", message);
    write_file(results, line, strlen(line));
    write_file(message, bytes, length);
    STARTED(&started, SETTINGS(NULL), CONVERT, format, results);
    cr_assert_eq(started.status, 0, "%s", started.stderr_text);
    return started.stdout_text;
}

/* ---- reading it back: the text between BEGIN and END -------------------------------------- */

/* What one written character stands for; *at goes on behind it. */
static char plain(const char *format, const char **at)
{
    static const struct {
        const char *format, *written;
        char means;
    } signs[] = { { "json", "\\n", '\n' },  { "json", "\\t", '\t' },  { "json", "\\\"", '"' },
                  { "json", "\\\\", '\\' }, { "xml", "&lt;", '<' },   { "xml", "&gt;", '>' },
                  { "xml", "&amp;", '&' },  { "xml", "&quot;", '"' }, { "csv", "\"\"", '"' } };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strcmp(signs[i].format, format) == 0 &&
            strncmp(*at, signs[i].written, strlen(signs[i].written)) == 0) {
            *at += strlen(signs[i].written);
            return signs[i].means;
        }
    bool bare = strcmp(format, "json") == 0  ? strchr("\"\\\n\t", **at)
                : strcmp(format, "xml") == 0 ? strchr("<>&", **at)
                                             : strchr("\"", **at);
    cr_assert(!bare, "%s: %.20s stands there as it is", format, *at);
    return *(*at)++;
}

static const char *read_back(const char *format, const char *text)
{
    static char back[4096];
    size_t used = 0;
    const char *at = strstr(text, "BEGIN");
    cr_assert(at, "%s", text);
    at += strlen("BEGIN");
    while (strncmp(at, "END", 3) != 0 && used < sizeof back - 1) {
        cr_assert(*at, "%s: no end", format);
        back[used++] = plain(format, &at);
    }
    back[used] = '\0';
    return back;
}

static void comes_back(const char *bytes, size_t length, const char *expected)
{
    static const char *const formats[][2] = {
        { "gradescope", "json" }, { "exercism", "json" }, { "junit", "xml" }, { "csv", "csv" }
    };
    char whole[1024] = "BEGIN";
    memcpy(whole + 5, bytes, length);
    memcpy(whole + 5 + length, "END", 4);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const char *back = read_back(formats[i][1], convert(formats[i][0], whole, length + 8));
        cr_expect_str_eq(back, expected, "%s: \"%s\" came back as \"%s\"", formats[i][0], expected, back);
    }
}

Test(convert, does_every_byte_come_back_or_stand_for_nothing)
{
    char all[256], expected[1024] = "";
    size_t count = 0;
    for (int byte = 0; byte < 256; byte++) {
        if (byte == '\r')
            continue; /* before a newline it goes; see below */
        all[count++] = (char)byte;
        bool shown = byte == '\t' || byte == '\n' || (byte >= ' ' && byte < 0x7F);
        char itself[2] = { (char)byte, '\0' };
        strcat(expected, shown ? itself : BROKEN);
    }
    comes_back(all, count, expected);
}

Test(convert, what_of_utf8_is_whole_and_what_is_not)
{
    static const struct {
        const char *bytes, *expected;
    } cases[] = {
        { "gr\xC3\xBC\xC3\x9F dich \xE4\xB8\xAD \xF0\x9F\x98\x80",
          "gr\xC3\xBC\xC3\x9F dich \xE4\xB8\xAD \xF0\x9F\x98\x80" },
        { "\xE4\xB8", BROKEN BROKEN },                       /* cut off */
        { "\xC0\xAF", BROKEN BROKEN },                       /* a slash in two bytes */
        { "\xE0\x80\xAF", BROKEN BROKEN BROKEN },            /* and in three */
        { "\xED\xA0\x80", BROKEN BROKEN BROKEN },            /* half of a pair */
        { "\xF4\x90\x80\x80", BROKEN BROKEN BROKEN BROKEN }, /* beyond the last one */
        { "\xEF\xBF\xBF", BROKEN BROKEN BROKEN },            /* no character at all; XML does not hold it */
        { "\xC2\x9B"
          "31m",
          BROKEN BROKEN "31m" }, /* a command to a terminal */
        { "one\r\ntwo\rthree", "one\ntwo" BROKEN "three" },
        { "]]> <![CDATA[ --> \\u0000 \"\" &amp;", "]]> <![CDATA[ --> \\u0000 \"\" &amp;" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        comes_back(cases[i].bytes, strlen(cases[i].bytes), cases[i].expected);
}

Test(convert, is_a_message_of_any_length_cut)
{
    size_t length = 1 << 20;
    char *bytes = malloc(length);
    cr_assert(bytes);
    memset(bytes, 'x', length);
    const char *text = convert("junit", bytes, length);
    cr_expect(strlen(text) < 20000);
    cr_expect(strstr(text, "... (there is more)\n\nWith 3 ranks."));
    cr_expect(strstr(text, "</failure></testcase>\n  </testsuite>\n</testsuites>\n"));
    free(bytes);
}

/* ---- what stands in them ------------------------------------------------------------------- */

static const char *three_tests(const char *format)
{
    static struct started started;
    char lines[500];
    snprintf(lines, sizeof lines,
             "03_ring/1_once_round\twhat_comes_home\t6\t6\tpassed\t8\t7\t-\n"
             "03_ring/1_once_round\tone_message\t0\t4\tfailed\t3\t7\t%s\n"
             "06_deadlocks/12_edges\tevery_edge\t0\t10\tnot_built\t0\t0\t%s\n",
             message, message);
    write_file(results, lines, strlen(lines));
    write_file(message, "=1+1", 4);
    STARTED(&started, SETTINGS(NULL), CONVERT, format, results);
    return started.stdout_text;
}

static void says(const char *text, const char *words)
{
    cr_expect(strstr(text, words), "no \"%s\" in:\n%s", words, text);
}

Test(convert, do_points_and_statuses_come_along)
{
    const char *text = three_tests("gradescope");
    says(text, "\"score\": 6,\n");
    says(text, "{ \"score\": 6, \"max_score\": 6, \"status\": \"passed\", \"number\": \"03.1\", \"name\": "
               "\"once round: what comes home\"");
    says(text, "{ \"score\": 0, \"max_score\": 10, \"status\": \"failed\", \"number\": \"06.12\"");
    text = three_tests("junit");
    says(text, "<testsuites tests=\"3\" failures=\"1\" errors=\"1\">");
    says(text, "<testsuite name=\"06_deadlocks/12_edges\" tests=\"1\" failures=\"0\" errors=\"1\">");
    says(text, "<error type=\"not_built\" message=\"0 of 10 points\">=1+1</error>");
    text = three_tests("exercism");
    says(text, "\"version\": 2,\n  \"status\": \"fail\",\n  \"message\": null,");
    says(text, "\"status\": \"error\", \"message\": \"=1+1\" }\n  ]\n}\n");
    text = three_tests("csv");
    says(text, "\"03_ring/1_once_round\",\"what comes home\",6,6,passed,\"\"\r\n");
    says(text,
         "failed,\"'=1+1\nWith 3 ranks. The same numbers again: GRADE_SEED=7 make exercise-03.1\n\"\r\n");
    says(text, "not_built,\"'=1+1\"\r\n"); /* not a formula */
}

Test(convert, does_each_submission_have_a_line)
{
    static struct started started;
    three_tests("csv");
    STARTED(&started, SETTINGS(NULL), CONVERT, "grades", "Bea, \"B\"", results, "=x\n", results);
    cr_expect_str_eq(started.stdout_text, "submission,points,max,\"03.1\",\"06.12\",refused\r\n"
                                          "\"Bea, \"\"B\"\"\",6,20,6,0,\"\"\r\n\"'=x\n\",6,20,6,0,\"\"\r\n");
}

Test(convert, is_what_is_no_result_refused)
{
    struct started started;
    write_file(results, "03_ring\tx\n", 10);
    const char *const paths[] = { results, "/nowhere/results.tsv" };
    for (int i = 0; i < 2; i++) {
        STARTED(&started, SETTINGS(NULL), CONVERT, "junit", paths[i]);
        cr_expect_eq(started.status, 1);
        says(started.stderr_text, "cannot be read, or is no results.tsv");
        cr_expect_str_eq(started.stdout_text, "");
    }
    STARTED(&started, SETTINGS(NULL), CONVERT, "yaml", results);
    cr_expect_eq(started.status, 2);
    says(started.stderr_text, "usage: ");
}
