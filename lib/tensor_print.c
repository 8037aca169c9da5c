/*
 * tensor_print.c: a tensor as one line of text.
 */
#define _GNU_SOURCE
#include "context.h"
#include "launch/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PRINT_ALL 16 /* up to so many elements the line holds all of them */
#define PRINT_END 4  /* else so many from each end */

const char *tensor_shape_words(const tensor *t, char *text, size_t size)
{
    int used = 0;
    for (int d = 0; d < t->ndim && (size_t)used < size; d++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRId64, d ? " x " : "", t->shape[d]);
    return text;
}

static void tensor_print_element(FILE *line, const tensor *t, int64_t i)
{
    double value = dtype_load(t->type, t->data, i);
    if (t->type == DIST_I64)
        fprintf(line, "%" PRId64, ((const int64_t *)t->data)[i]);
    else if (t->type == DIST_I32 || t->type == DIST_U8)
        fprintf(line, "%.0f", value);
    else
        fprintf(line, "%g", isnan(value) ? NAN : value);
}

/* How many dimensions begin at element i (or end before it): each of them is a bracket. Where the middle is left out it is only the
 * whole. */
static int tensor_print_brackets(const tensor *t, int64_t i)
{
    int count = 0;
    int64_t length = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        length *= t->shape[d];
        count += i % length == 0;
    }
    return t->numel <= PRINT_ALL ? count : i % t->numel == 0;
}

static void tensor_print_seen(FILE *line, const tensor *t)
{
    char shape[100];
    bool all = t->numel <= PRINT_ALL;
    for (int64_t i = 0; i < t->numel; i++) {
        if (!all && i == PRINT_END) {
            fputs(", ...", line);
            i = t->numel - PRINT_END;
        }
        if (i > 0)
            fputs(", ", line);
        for (int n = tensor_print_brackets(t, i); n > 0; n--)
            fputc('[', line);
        tensor_print_element(line, t, i);
        for (int n = tensor_print_brackets(t, i + 1); n > 0; n--)
            fputc(']', line);
    }
    if (t->numel == 0)
        fputs("[]", line);
    if (!all && t->ndim > 1)
        fprintf(line, " (%s = %" PRId64 " elements)", tensor_shape_words(t, shape, sizeof(shape)), t->numel);
    else if (!all)
        fprintf(line, " (%" PRId64 " elements)", t->numel);
}

static void tensor_print_elements(FILE *line, struct dist_at at, const tensor *t)
{
    struct tensor seen = *t;
    size_t ends = (t->numel <= PRINT_ALL ? PRINT_ALL : PRINT_END) * dtype_size(t->type);
    seen.data = (void *)(uintptr_t)tensor_elements("tensor_print", at, t, ends);
    void *language = text_use_point(); /* between elements stands a comma */
    if (seen.data)
        tensor_print_seen(line, &seen);
    text_use_language(language);
    if (t->gpu)
        free(seen.data);
}

void tensor_print_at(struct dist_at at, const tensor *t, const char *format, ...)
{
    if (!tensor_may_read("tensor_print", at, t))
        return;
    char *text = NULL;
    size_t length = 0;
    FILE *line = open_memstream(&text, &length);
    if (!line) {
        report_tensor("tensor_print", at, DIST_ERR_MEMORY, "no memory for a line of text");
        return;
    }
    va_list args;
    va_start(args, format);
    int words = vfprintf(line, format, args);
    va_end(args);
    if (words > 0)
        fputc(' ', line);
    tensor_print_elements(line, at, t);
    fputc('\n', line);
    bool whole = fclose(line) == 0 && text;
    /* Flushed, else the stream may cut the line where its buffer happens to be full. Who has stopped reading needs no report.
     * glibc's fwrite does not always tell a failure; its flag does, but ranks that are threads share the stream: errno is their own. */
    errno = 0;
    bool written = whole && fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0 &&
                   !(ferror(stdout) && errno != 0);
    if (whole && !written && errno != EPIPE)
        report_tensor("tensor_print", at, DIST_ERR_SYSTEM, "the line could not be written: %s",
                      strerror(errno));
    free(text);
    if (!whole)
        report_tensor("tensor_print", at, DIST_ERR_MEMORY, "no memory for a line of text");
}
