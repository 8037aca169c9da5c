/*
 * tensor.c: making tensors, and freeing them.
 */
#include "context.h"
#include "devices/device.h"
#include "devices/host.h"
#include "streams/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making -------------------------------------------------------------- */

/* The number of elements; -1 where the shape makes no sense, which is then reported. */
static int64_t count_elements(const char *call, struct dist_at at, enum dist_type type, int ndim,
                              const int64_t *shape)
{
    const int64_t most = INT64_MAX / 16;
    if (dtype_size(type) == 0) {
        report_tensor(call, at, DIST_ERR_ARGUMENT,
                      "%d is no element type; take DIST_F32 or another DIST_ type", (int)type);
        return -1;
    }
    if (ndim < 1 || ndim > TENSOR_DIMS) {
        report_tensor(call, at, DIST_ERR_ARGUMENT, "%d dimensions are too many; a tensor has 1 to %d", ndim,
                      TENSOR_DIMS);
        return -1;
    }
    int64_t numel = 1;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0) {
            report_tensor(call, at, DIST_ERR_ARGUMENT, "dimension %d has length %lld; a length is 0 or more",
                          d, (long long)shape[d]);
            return -1;
        }
        /* Saturate: the allocator then says that it is too much. */
        numel = shape[d] > 0 && numel > most / shape[d] ? most : numel * shape[d];
    }
    return numel;
}

/* On the host where gpu is NULL. */
static struct storage *storage_new(struct launch_self *self, struct gpu *gpu, struct dist_at at, size_t bytes)
{
    struct storage *storage = malloc(sizeof(*storage));
    if (!storage)
        return NULL;
    *storage = (struct storage){ .bytes = bytes };
    storage->data = gpu ? gpu_alloc(gpu, storage, at) : host_alloc(self, bytes);
    if (storage->data)
        return storage;
    free(storage);
    return NULL;
}

static void storage_free(struct launch_self *self, struct storage *storage)
{
    if (storage && storage->gpu)
        gpu_free(storage->gpu, storage);
    else if (storage)
        host_free(self, storage->data);
    free(storage);
}

/* A tensor whose elements are not yet written. */
static struct tensor *tensor_new_on(struct gpu *gpu, const char *call, struct dist_at at, enum dist_type type,
                                    int ndim, const int64_t *shape)
{
    int64_t numel = count_elements(call, at, type, ndim, shape);
    if (numel < 0)
        return NULL;
    struct launch_self *self = context_get()->self;
    size_t bytes = (size_t)numel * dtype_size(type);
    struct storage *storage = storage_new(self, gpu, at, bytes);
    struct tensor *t = storage ? tensor_handle_take(self) : NULL;
    if (!t) {
        storage_free(self, storage);
        report_tensor(
            call, at, DIST_ERR_MEMORY,
            "no memory for %lld elements of %s (%.4g MiB); a rank has room for %.4g MiB where the machine "
            "has it; free what is no longer needed, or make it smaller",
            (long long)numel, dtype_name(type), (double)bytes / 0x1p20,
            (double)self->world.header->arena_bytes / 0x1p20);
        return NULL;
    }
    *t = (struct tensor){ .live = TENSOR_LIVE, .type = type, .ndim = ndim, .numel = numel, .made_at = at };
    t->data = storage->data;
    memcpy(t->shape, shape, (size_t)ndim * sizeof(*shape));
    tensor_handle_look(self, t, storage);
    return t;
}

/* The same where this rank makes its tensors. */
static struct tensor *tensor_new(const char *call, struct dist_at at, enum dist_type type, int ndim,
                                 const int64_t *shape)
{
    struct gpu *gpu;
    return gpu_for_tensors(call, at, &gpu) ? tensor_new_on(gpu, call, at, type, ndim, shape) : NULL;
}

tensor *tensor_full_at(struct dist_at at, enum dist_type type, double value, int ndim, const int64_t *shape)
{
    /* tensor_zeros comes this way too, and a report should hold the name that stands in the program. */
    struct tensor *t = tensor_new(value == 0 ? "tensor_zeros" : "tensor_full", at, type, ndim, shape);
    if (t)
        tensor_fill_at(at, t, value);
    return t;
}

tensor *tensor_arange_at(struct dist_at at, enum dist_type type, double start, double end)
{
    if (!(end >= start && end - start < 0x1p53)) {
        report_tensor("tensor_arange", at, DIST_ERR_ARGUMENT,
                      "it cannot count from %g up to %g; give a start, and an end that is not below it",
                      start, end);
        return NULL;
    }
    struct tensor *t = tensor_new("tensor_arange", at, type, 1, (int64_t[]){ (int64_t)ceil(end - start) });
    if (t)
        tensor_run(
            "tensor_arange", at, t,
            (struct kernel){
                .kind = KERNEL_ARANGE, .type = type, .out = t->data, .count = t->numel, .value = start });
    return t;
}

tensor *tensor_from_at(struct dist_at at, enum dist_type type, const void *values, int ndim,
                       const int64_t *shape)
{
    int64_t numel = count_elements("tensor_from", at, type, ndim, shape);
    if (numel > 0 && !values) {
        report_tensor("tensor_from", at, DIST_ERR_ARGUMENT,
                      "the values are NULL; give an array of %lld elements, or use tensor_zeros",
                      (long long)numel);
        return NULL;
    }
    struct tensor *t = numel < 0 ? NULL : tensor_new("tensor_from", at, type, ndim, shape);
    if (t)
        tensor_write_at(at, t, values);
    return t;
}

tensor *tensor_clone_at(struct dist_at at, const tensor *t)
{
    if (!tensor_may_read("tensor_clone", at, t))
        return NULL;
    struct tensor *clone = tensor_new_on(t->gpu, "tensor_clone", at, t->type, t->ndim, t->shape);
    if (clone)
        tensor_copy_at(at, clone, t);
    return clone;
}

tensor *tensor_to_at(struct dist_at at, const tensor *t, enum dist_device device)
{
    if (!tensor_may_read("tensor_to", at, t))
        return NULL;
    struct gpu *gpu = device == DIST_GPU ? gpu_open("tensor_to", at) : NULL;
    if (device == DIST_GPU && !gpu)
        return NULL;
    struct tensor *there = tensor_new_on(gpu, "tensor_to", at, t->type, t->ndim, t->shape);
    if (there)
        tensor_copy_at(at, there, t);
    return there;
}

tensor *tensor_slice_at(struct dist_at at, const tensor *t, int64_t begin, int64_t end)
{
    if (!tensor_check("tensor_slice", at, t))
        return NULL;
    if (begin < 0 || begin > end || end > t->shape[0]) {
        report_tensor(
            "tensor_slice", at, DIST_ERR_ARGUMENT,
            "%lld to %lld is outside: the first dimension has %lld entries, so 0 <= begin <= end <= %lld",
            (long long)begin, (long long)end, (long long)t->shape[0], (long long)t->shape[0]);
        return NULL;
    }
    struct launch_self *self = context_get()->self;
    struct tensor *view = tensor_handle_take(self);
    if (!view) {
        report_tensor("tensor_slice", at, DIST_ERR_MEMORY,
                      "no memory for a view; free what is no longer needed");
        return NULL;
    }
    int64_t entry = t->shape[0] ? t->numel / t->shape[0] : 0;
    *view = *t;
    view->made_at = at;
    view->shape[0] = end - begin;
    view->numel = (end - begin) * entry;
    view->data = (char *)t->data + begin * entry * (int64_t)dtype_size(t->type);
    tensor_handle_look(self, view, t->storage);
    return view;
}

void tensor_free_at(struct dist_at at, tensor *t)
{
    if (!t || !tensor_may_free("tensor_free", at, t))
        return;
    struct launch_self *self = context_get()->self;
    struct storage *storage = t->storage;
    if (tensor_handle_give(self, t))
        storage_free(self, storage);
}
