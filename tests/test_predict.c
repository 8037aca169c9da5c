/*
 * test_predict.c: build/bin/predict. A file that is wrong is refused with one sentence that says what is wrong, and where; and what
 * must follow from physics follows: more GPUs are not slower, more bubble is, memory shrinks where it is cut.
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD \
    "layers = 24\nhidden = 2304\nheads = 24\nvocab = 51200\nseq = 2048\nbatch = 512\nmicrobatch = 4\ngpus " \
    "= 32\nmachine = dgx-a100-80\n"

static char path[] = "/tmp/predict.XXXXXX";

static void begin(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
}

static void end(void)
{
    unlink(path);
}

TestSuite(predict, .init = begin, .fini = end);

static struct started *predict(const char *text)
{
    static struct started started;
    FILE *file = fopen(path, "we");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    STARTED(&started, SETTINGS(NULL), "build/bin/predict", path);
    return &started;
}

/* The value of a key for a good file with some lines more. */
static double value(const char *more, const char *key)
{
    char text[2000], line[100];
    snprintf(text, sizeof text, "%s%s", GOOD, more);
    struct started *s = predict(text);
    cr_assert_eq(s->status, 0, "%s: %s", more, s->stderr_text);
    snprintf(line, sizeof line, "\n%s = ", key);
    char *found = strstr(s->stdout_text, line);
    cr_assert(found, "no %s in:\n%s", key, s->stdout_text);
    return atof(found + strlen(line));
}

static void refused(const char *text, const char *words)
{
    struct started *s = predict(text);
    cr_assert_eq(s->status, 2, "status %d for:\n%s", s->status, text);
    cr_assert(strstr(s->stderr_text, words), "\"%s\" is not in: %s", words, s->stderr_text);
    cr_assert_eq(strchr(s->stderr_text, '\n'), s->stderr_text + strlen(s->stderr_text) - 1, "one line: %s",
                 s->stderr_text);
    cr_assert_str_empty(s->stdout_text);
}

Test(predict, names_the_line_that_is_wrong)
{
    refused(GOOD "laiers = 3\n", ":10: there is no key \"laiers\"; did you mean layers?");
    refused(GOOD "colour = red\n", ":10: there is no key \"colour\"");
    refused(GOOD "tp\n", ":10: \"tp\" is no line of the form key = value");
    refused(GOOD "= 3\n", ":10: \"= 3\" is no line of the form key = value");
    refused(GOOD "tp =\n", ":10: nothing stands behind tp =");
    refused(GOOD "tp = -2\n", ":10: tp is \"-2\"; it must be a whole number from 1");
    refused(GOOD "tp = 2.5\n", "tp is \"2.5\"");
    refused(GOOD "tp = nan\n", "tp is \"nan\"");
    refused(GOOD "tp = 1e99\n", "tp is \"1e99\"");
    refused(GOOD "tp = 2x\n", "tp is \"2x\"");
    refused(GOOD "nic_gbps = 0\n", "nic_gbps is \"0\"; it must be a number above 0");
    refused(GOOD "flash = 2\n", "flash is \"2\"; it must be 0 or 1");
    refused(GOOD "recompute = some\n", "recompute is \"some\"; it must be one of: none selective full");
    refused(GOOD "type = f16\n", "it must be one of: bf16 fp8");
    refused(GOOD "gpus = 64\n", ":10: gpus stands here for the second time");
    refused(GOOD "machine = dgx-h100\n", "machine stands here for the second time");
    refused("machine = cray\n", ":1: there is no machine \"cray\"; there are dgx-a100-80, dgx-h100");
    refused("\n# nothing\n", "no machine is named, and peak_tflops is missing");
    refused("machine = dgx-h100\n", "layers is missing; it needs a line layers = and a whole number");
}

Test(predict, names_what_does_not_fit_together)
{
    refused(GOOD "tp = 16\n", "tp is 16, which does not divide 24 heads");
    refused(GOOD "tp = 5\n", "tp x pp x cp is 5, which does not divide 32 GPUs");
    refused(GOOD "tp = 4\npp = 4\ndp = 4\n", "= 64, but gpus is 32");
    refused(GOOD "kv_heads = 7\n", "kv_heads is 7, which does not divide 24 heads");
    refused(GOOD "pp = 4\ninterleave = 9\n", "pp x interleave is 36, but there are only 24 layers");
    refused(GOOD "interleave = 2\n", "nothing to interleave");
    refused(GOOD "ep = 3\n", "ep is 3, which does not divide dp x cp = 32");
    refused(GOOD "experts = 6\nep = 4\n", "ep is 4, which does not divide 6 experts");
    refused(GOOD "type = fp8\n", "type is fp8, but dgx-a100-80 has no FP8");
    refused(GOOD "nics_used = 9\n", "nics_used is 9, but a node has 8 GPUs");
    refused(GOOD "bytes = 8\n", "no collective is named");
    refused(GOOD "memory_gib = 1\n", "it does not fit: a GPU needs");
    refused("collective = all_reduce\nmachine = dgx-h100\ngpus = 8\n", "a collective needs bytes, too");
    refused("collective = all_reduce\nmachine = dgx-h100\ngpus = 1\nbytes = 8\n", "needs at least 2");
    refused("collective = all_reduce\nmachine = dgx-h100\ngpus = 12\nbytes = 8\n",
            "does not fill nodes of 8");
}

Test(predict, refuses_files_that_are_none)
{
    static struct started s;
    STARTED(&s, SETTINGS(NULL), "build/bin/predict", "/nowhere/x.run");
    cr_assert(s.status == 2 && strstr(s.stderr_text, "/nowhere/x.run cannot be read: No such file"), "%s",
              s.stderr_text);
    STARTED(&s, SETTINGS(NULL), "build/bin/predict", "/tmp");
    cr_assert(s.status == 2 && strstr(s.stderr_text, "/tmp cannot be read"), "%s", s.stderr_text);
    STARTED(&s, SETTINGS(NULL), "build/bin/predict", "build/bin/predict");
    cr_assert(s.status == 2 && strstr(s.stderr_text, "is no description"), "%s", s.stderr_text);
    STARTED(&s, SETTINGS(NULL), "build/bin/predict");
    cr_assert_eq(s.status, 2);
    STARTED(&s, SETTINGS(NULL), "build/bin/predict", "--hepl");
    cr_assert(s.status == 2 && strstr(s.stderr_text, "there is no option --hepl"), "%s", s.stderr_text);
}

Test(predict, says_what_the_lesson_shows)
{
    static struct started s;
    static char shown[4000];
    FILE *file = fopen("chapters/13_scale/recorded/predict.txt", "re");
    cr_assert(file && fread(shown, 1, sizeof shown - 1, file) > 0 && fclose(file) == 0);
    STARTED(&s, SETTINGS(NULL), "build/bin/predict", "chapters/13_scale/rows/megatron_146B.run");
    cr_assert_str_eq(s.stdout_text, shown, "record it anew: sh chapters/13_scale/record.sh predict");
}

Test(predict, tells_what_it_assumed)
{
    struct started *s = predict(GOOD);
    cr_assert(strstr(s->stdout_text, "# assumed, since nothing is said: tp = 1, pp = 1"), "%s",
              s->stdout_text);
    cr_assert(strstr(s->stdout_text, "ffn = 9216"), "%s", s->stdout_text);
}

Test(predict, reads_what_other_systems_write)
{
    struct started *s =
        predict("\xEF\xBB\xBFlayers = 24\r\nhidden = 2304\r\nheads = 24\r\nvocab = 51200\r\nseq = 2048\r\n"
                "batch = 512\r\ngpus = 32\r\nmachine = dgx-a100-80");
    cr_assert_eq(s->status, 0, "%s", s->stderr_text);
}

Test(predict, tells_of_stages_that_are_not_alike)
{
    struct started *s = predict(GOOD "pp = 16\n");
    cr_assert(
        strstr(s->stdout_text, "# 24 layers do not divide by pp x interleave = 16: the fullest part has 2"),
        "%s", s->stdout_text);
    s = predict(GOOD "pp = 4\ninterleave = 3\n");
    cr_assert_null(strstr(s->stdout_text, "do not divide"), "%s", s->stdout_text);
}

Test(predict, follows_physics)
{
    double step = value("recompute = none\n", "step_s");
    cr_assert_gt(value("recompute = full\n", "step_s"), 1.2 * step);
    cr_assert_gt(value("watts = 200\n", "step_s"), step);
    cr_assert_gt(value("nic_gbps = 0.5\n", "step_s"), step);
    cr_assert_gt(value("tp = 2\ngpus_per_node = 1\n", "step_s"), value("tp = 2\n", "step_s"));
    cr_assert_float_eq(value("pp = 4\n", "bubble"), 3.0 / (3 + 16), 1e-3);
    cr_assert_float_eq(value("pp = 4\ninterleave = 3\n", "bubble"), 1.0 / (1 + 16), 1e-3);
    cr_assert_eq(value("", "bubble"), 0);
    cr_assert_gt(value("zero = 0\n", "memory_gib"), value("zero = 1\n", "memory_gib"));
    cr_assert_gt(value("zero = 1\n", "memory_gib"), value("zero = 3\n", "memory_gib"));
    cr_assert_gt(value("zero = 0\n", "memory_gib"), value("zero = 0\ntp = 8\n", "memory_gib"));
    cr_assert_leq(value("", "mfu"), 0.75);
}
