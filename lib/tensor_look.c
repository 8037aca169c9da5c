/*
 * tensor_look.c: what a tensor is and what it holds.
 */
#include "context.h"
#include "devices/host.h"
#include "streams/gpu.h"

#include <stdlib.h>
#include <string.h>

bool tensor_index(const char *call, struct dist_at at, const tensor *t, int64_t i)
{
    if (i >= 0 && i < t->numel)
        return true;
    if (t->numel == 0)
        refuse(call, at, "index %lld is outside: the tensor has no elements", (long long)i);
    else
        refuse(call, at, "index %lld is outside: the tensor has %lld element%s (0 to %lld)", (long long)i,
               (long long)t->numel, t->numel == 1 ? "" : "s", (long long)t->numel - 1);
    return false;
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

/* False: the arguments are wrong, which was reported. */
static bool tensor_look_check_array(const char *call, struct dist_at at, const tensor *t, const void *values)
{
    if (t->numel > 0 && !values)
        refuse(call, at, "the values are NULL; give an array of %lld elements", (long long)t->numel);
    return values || t->numel == 0;
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

const void *tensor_elements(const char *call, struct dist_at at, const tensor *t, size_t ends)
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
        a->ndim != b->ndim)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d])
            return false;
    const void *left = tensor_elements(call, at, a, SIZE_MAX / 2),
               *right = tensor_elements(call, at, b, SIZE_MAX / 2);
    bool equal = left && right && memcmp(left, right, a->bytes) == 0;
    if (a->gpu)
        free((void *)(uintptr_t)left);
    if (b->gpu)
        free((void *)(uintptr_t)right);
    return equal;
}
