/*
 * conform_gpu.c: the conformance parts (conform.h) on the backend and the device that the environment names, without
 * Criterion: conform_gpu [RANKS...]; 1 to 8 ranks where none are given. NCCL may add up in an order of its own. A line for each
 * part, "pass NAME" or "fail NAME".
 */
#define _GNU_SOURCE
#include "../conform.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>

static const struct {
    const char *name;
    void (*part)(struct exam *, int, int);
    bool numbers;
    int least;
} parts[] = {
    { "collectives", conform_world, true, 1 },  { "sub-groups", conform_groups, true, 1 },
    { "messages", conform_p2p, true, 1 },       { "order", conform_order, false, 1 },
    { "progress", conform_progress, false, 2 },
};

static bool run(int part, int size)
{
    char title[80];
    struct conform given = { .sparse = false };
    const char *backend = getenv("BACKEND");
    snprintf(title, sizeof title, "%s of %d ranks", parts[part].name, size);
    struct exam *exam = exam_new(title, size);
    exam->seconds = 120;
    exam->given = &given;
    ref_narrow_averages = backend != NULL && strcmp(backend, "nccl") == 0;
    bool passed = !parts[part].numbers || conform_new(&given, size, exam->seed);
    given.sparse = getenv("DIST_TEST_SPARSE") != NULL;
    given.any_order = ref_narrow_averages;
    passed = passed && exam_run(exam, parts[part].part);
    printf("%s %s%s%s\n", passed ? "pass" : "fail", title, passed ? "" : ": ",
           passed ? "" : exam_words(exam));
    fflush(stdout);
    conform_free(&given);
    exam_free(exam);
    return passed;
}

int main(int count, char **words)
{
    bool good = true;
    for (int i = 1; i < (count > 1 ? count : 9); i++) {
        int size = count > 1 ? atoi(words[i]) : i;
        for (int part = 0; part < (int)(sizeof parts / sizeof *parts); part++)
            if (size >= parts[part].least)
                good &= run(part, size);
    }
    return good ? 0 : 1;
}
