/* told.c: see told.h. */
#define _GNU_SOURCE
#include "told.h"
#include "double.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/nccl_told_XXXXXX", path[64];

void told_open(void)
{
    setenv("DIST_RANKS", "threads", 1);
    setenv("DEVICE", "sim", 1);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.json", folder);
    setenv("DIST_REPORT", path, 1);
    double_play(&(struct double_script){ .moves = true });
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
