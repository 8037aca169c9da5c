/* conform_box.c: see conform_box.h. */
#include "conform_box.h"

#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0x5a

/* The suite runs on tensors of a GPU, too: so their memory is only written and read by calls. */
static void mark_untouched(tensor *whole, size_t bytes)
{
    char *marks = malloc(bytes);
    if (marks == NULL)
        abort();
    memset(marks, UNTOUCHED, bytes);
    tensor_write(whole, marks);
    free(marks);
}

struct box box_new(enum dist_type type, int64_t count, int64_t margin)
{
    struct box box = { .type = type, .margin = margin, .count = count };
    if (margin == 0) {
        box.view = tensor_zeros(type, count);
        return box;
    }
    box.whole = tensor_zeros(type, count + 2 * margin);
    box.view = tensor_slice(box.whole, margin, margin + count);
    mark_untouched(box.whole, (size_t)(count + 2 * margin) * ref_bytes(type));
    return box;
}

void box_free(struct box *box)
{
    tensor_free(box->whole);
    tensor_free(box->view);
}

void box_put(struct box *box, const void *values)
{
    tensor_write(box->view, values);
}

static bool untouched(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != UNTOUCHED)
            return false;
    }
    return true;
}

/* `data`: the view's elements, with the margins around them; i: the first that is wrong, or -1. */
static bool check_data(struct exam *exam, const struct box *box, const char *data, const void *expected,
                       int64_t i, const char *what)
{
    const char *type = ref_type_name(box->type);
    size_t bytes = ref_bytes(box->type), margin = (size_t)box->margin * bytes;
    if (!exam_check(exam, i < 0, "%s: element %lld of %lld %s is %.17g and must be %.17g", what, (long long)i,
                    (long long)box->count, type, i < 0 ? 0 : ref_item(box->type, data, i),
                    i < 0 ? 0 : ref_item(box->type, expected, i)))
        return false;
    if (margin == 0)
        return true;
    bool front = untouched(data - margin, margin),
         behind = untouched(data + (size_t)box->count * bytes, margin);
    return exam_check(exam, front && behind, "%s: wrote %s the %s elements", what,
                      front ? "behind" : "in front of", type);
}

/* inputs 0: to the last bit */
bool box_check_near(struct exam *exam, const struct box *box, const void *expected, enum dist_op op,
                    int inputs, const char *what)
{
    size_t bytes = ref_bytes(box->type);
    char *copy = malloc((size_t)(box->count + 2 * box->margin) * bytes + 1);
    if (copy == NULL)
        abort();
    tensor_read(box->whole != NULL ? box->whole : box->view, copy);
    const char *data = copy + (size_t)box->margin * bytes;
    int64_t i = inputs > 0 ? ref_far_off(box->type, op, inputs, data, expected, box->count)
                           : ref_difference(box->type, data, expected, box->count);
    bool right = check_data(exam, box, data, expected, i, what);
    free(copy);
    return right;
}

bool box_check(struct exam *exam, const struct box *box, const void *expected, const char *what)
{
    return box_check_near(exam, box, expected, DIST_SUM, 0, what);
}

/* ---- pools -------------------------------------------------------------------- */

bool pool_new(struct pool *pool, enum dist_type type, int ranks, int64_t count, uint64_t seed)
{
    size_t bytes = (size_t)count * ref_bytes(type);
    *pool = (struct pool){ .type = type, .ranks = ranks, .count = count };
    for (int rank = 0; rank < ranks; rank++) {
        pool->in[rank] = malloc(bytes);
        if (pool->in[rank] == NULL)
            return false;
        ref_fill(type, pool->in[rank], count, seed + (uint64_t)(rank + 8 * (int)type) * 0x10001);
    }
    for (int op = 0; op < REF_OPS; op++) {
        pool->reduced[op] = malloc(bytes);
        if (pool->reduced[op] == NULL)
            return false;
        ref_reduce(type, (enum dist_op)op, pool->reduced[op], (const void *const *)pool->in, ranks, count);
    }
    return true;
}

void pool_free(struct pool *pool)
{
    for (int rank = 0; rank < pool->ranks; rank++)
        free(pool->in[rank]);
    for (int op = 0; op < REF_OPS; op++)
        free(pool->reduced[op]);
}

const void *pool_in(const struct pool *pool, int rank, int64_t i)
{
    return pool->in[rank] + (size_t)i * ref_bytes(pool->type);
}

const void *pool_reduced(const struct pool *pool, enum dist_op op, int64_t i)
{
    return pool->reduced[op] + (size_t)i * ref_bytes(pool->type);
}
