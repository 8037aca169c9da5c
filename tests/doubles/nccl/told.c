/* told.c: see told.h. */
#define _GNU_SOURCE
#include "told.h"
#include "double.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/nccl_told_XXXXXX", path[64];

void told_play(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    double_play(&(struct double_script){ .moves = true });
}

void told_good(const char *name, void (*body)(struct exam *, int, int), int size)
{
    struct exam *exam = exam_new(name, size);
    exam->backend = "nccl";
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

tensor *told_counted(int rank, int count)
{
    return tensor_arange(DIST_F32, 100 * rank, 100 * rank + count);
}

void told_items(struct exam *exam, tensor *t, double first, const char *what)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        exam_check(exam, tensor_item(t, i) == first + (double)i, "%s: element %d is %g", what, (int)i,
                   tensor_item(t, i));
    tensor_free(t);
}

void told_open(void)
{
    told_play();
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.json", folder);
    setenv("DIST_REPORT", path, 1);
}

void told_close(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

const char *told_by(void (*body)(struct exam *, int, int), int size, int status)
{
    static char text[16384];
    struct exam *exam = exam_new("checked", size);
    exam->backend = "nccl";
    exam->seconds = 30;
    exam_run(exam, body);
    cr_assert_eq(exam->status, status, "%s", exam_words(exam));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "there is no report");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    exam_free(exam);
    return text;
}

void told_words(const char *report, const char *words)
{
    cr_assert_not_null(strstr(report, words), "the report does not say \"%s\":\n%s", words, report);
}
