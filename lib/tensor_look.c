/*
 * tensor_look.c: what a tensor is and what it holds, also as a line of text.
 */
#define _GNU_SOURCE
#include "devices/host.h"
#include "launch/text.h"
#include "streams/gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool tensor_index(const char *call, struct dist_at at, const tensor *t, int64_t i)
{
    if (i >= 0 && i < t->numel)
        return true;
    if (t->numel == 0)
        return refuse(call, at, "index %lld is outside: the tensor has no elements", (long long)i);
    return refuse(call, at, "index %lld is outside: the tensor has %lld element%s (0 to %lld)", (long long)i,
                  (long long)t->numel, t->numel == 1 ? "" : "s", (long long)t->numel - 1);
}

enum dist_type tensor_type_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_type", at, t) ? t->type : DIST_F32;
}

int64_t tensor_numel_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_numel", at, t) ? t->numel : 0;
}

int64_t tensor_size_at(struct dist_at at, const tensor *t, int dim)
{
    if (!tensor_check("tensor_size", at, t))
        return 0;
    if (dim < 0 || dim >= t->ndim)
        return refuse("tensor_size", at, "there is no dimension %d: the tensor has %d (0 to %d)", dim,
                      t->ndim, t->ndim - 1),
               0;
    return t->shape[dim];
}

void *tensor_data_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_data", at, t) ? t->data : NULL;
}

enum dist_device tensor_device_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_device", at, t) && t->gpu ? DIST_GPU : DIST_HOST;
}

double tensor_item_at(struct dist_at at, const tensor *t, int64_t i)
{
    double element = 0; /* the largest type's room */
    if (!tensor_may_touch_element("tensor_item", at, t, i, false))
        return 0;
    if (!t->gpu)
        return dtype_load(t->type, t->data, i);
    size_t size = dtype_size(t->type);
    gpu_read(t->gpu, "tensor_item", at, &element, (const char *)t->data + (size_t)i * size, size);
    return dtype_load(t->type, &element, 0);
}

static bool tensor_look_check_array(const char *call, struct dist_at at, const tensor *t, const void *values)
{
    if (values || t->numel == 0)
        return true;
    return refuse(call, at, "the values are NULL; give an array of %lld elements", (long long)t->numel);
}

void tensor_read_at(struct dist_at at, const tensor *t, void *values)
{
    if (!tensor_may_read("tensor_read", at, t) || !tensor_look_check_array("tensor_read", at, t, values))
        return;
    if (t->gpu)
        gpu_read(t->gpu, "tensor_read", at, values, t->data, t->bytes);
    else
        host_copy(values, t->data, t->bytes);
}

void tensor_write_at(struct dist_at at, tensor *t, const void *values)
{
    if (!tensor_may_write("tensor_write", at, t) || !tensor_look_check_array("tensor_write", at, t, values))
        return;
    if (t->gpu)
        gpu_write(t->gpu, "tensor_write", at, t->data, values, t->bytes);
    else
        host_copy(t->data, values, t->bytes);
}

/* A tensor's elements where the host can look at them; to be freed where it lies on a GPU: of those only so many bytes at each end are
 * there (or all). NULL: reported. */
static const void *tensor_look_elements(const char *call, struct dist_at at, const tensor *t, size_t ends)
{
    if (!t->gpu)
        return t->data;
    char *copy = malloc(t->bytes + 1);
    const char *from = t->data;
    bool all = t->bytes <= 2 * ends;
    if (!copy)
        report_tensor(call, at, DIST_ERR_MEMORY, "the host has no memory for a copy of the tensor");
    else if (gpu_read(t->gpu, call, at, copy, from, all ? t->bytes : ends) &&
             (all || gpu_read(t->gpu, call, at, copy + t->bytes - ends, from + t->bytes - ends, ends)))
        return copy;
    free(copy);
    return NULL;
}

bool tensor_equal_at(struct dist_at at, const tensor *a, const tensor *b)
{
    const char *call = "tensor_equal";
    if (!tensor_may_read(call, at, a) || !tensor_may_read(call, at, b) || a->type != b->type ||
        a->ndim != b->ndim || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)
        return false;
    const void *left = tensor_look_elements(call, at, a, SIZE_MAX / 2),
               *right = tensor_look_elements(call, at, b, SIZE_MAX / 2);
    bool equal = left && right && memcmp(left, right, a->bytes) == 0;
    if (a->gpu)
        free((void *)(uintptr_t)left);
    if (b->gpu)
        free((void *)(uintptr_t)right);
    return equal;
}

/* ---- as a line of text ------------------------------------------------------------------ */

#define PRINT_ALL 16 /* up to so many elements the line holds all of them */
#define PRINT_END 4  /* else so many from each end */

const char *tensor_shape_words(const tensor *t, char *text, size_t size)
{
    int used = 0;
    for (int d = 0; d < t->ndim && (size_t)used < size; d++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRId64, d ? " x " : "", t->shape[d]);
    return text;
}

static void tensor_look_put_element(FILE *line, const tensor *t, int64_t i)
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
static int tensor_look_brackets(const tensor *t, int64_t i)
{
    int count = 0;
    int64_t length = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        length *= t->shape[d];
        count += i % length == 0;
    }
    return t->numel <= PRINT_ALL ? count : i % t->numel == 0;
}

static void tensor_look_put_seen(FILE *line, const tensor *t)
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
        for (int n = tensor_look_brackets(t, i); n > 0; n--)
            fputc('[', line);
        tensor_look_put_element(line, t, i);
        for (int n = tensor_look_brackets(t, i + 1); n > 0; n--)
            fputc(']', line);
    }
    if (t->numel == 0)
        fputs("[]", line);
    if (!all && t->ndim > 1)
        fprintf(line, " (%s = %" PRId64 " elements)", tensor_shape_words(t, shape, sizeof(shape)), t->numel);
    else if (!all)
        fprintf(line, " (%" PRId64 " elements)", t->numel);
}

static void tensor_look_put_elements(FILE *line, struct dist_at at, const tensor *t)
{
    struct tensor seen = *t;
    size_t ends = (t->numel <= PRINT_ALL ? PRINT_ALL : PRINT_END) * dtype_size(t->type);
    seen.data = (void *)(uintptr_t)tensor_look_elements("tensor_print", at, t, ends);
    void *language = text_use_point(); /* between elements stands a comma */
    if (seen.data)
        tensor_look_put_seen(line, &seen);
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
    tensor_look_put_elements(line, at, t);
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
