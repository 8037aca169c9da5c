/*
 * tensor.c: making tensors, and freeing them.
 */
#include "context.h"
#include "devices/device.h"
#include "devices/host.h"
#include "streams/gpu.h"
#include "tensor_tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making -------------------------------------------------------------- */

/* The number of elements; -1 where the shape makes no sense, which is then reported. */
int64_t tensor_count(const char *call, struct dist_at at, enum dist_type type, int ndim, const int64_t *shape)
{
    const int64_t most = INT64_MAX / 16;
    int64_t numel = 1;
    if (dtype_size(type) == 0)
        return refuse(call, at, "%d is no element type; take DIST_F32 or another DIST_ type", (int)type), -1;
    if (ndim < 1 || ndim > TENSOR_DIMS)
        return refuse(call, at,
                      ndim < 1 ? "it has no shape; give the length of each dimension, 1 to %d of "
                                 "them, as last arguments"
                               : "the shape has too many dimensions; a tensor has 1 to %d",
                      TENSOR_DIMS),
               -1;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return refuse(call, at, "dimension %d has length %lld; a length is 0 or more", d,
                          (long long)shape[d]),
                   -1;
        /* Saturate: the allocator then says that it is too much. */
        numel = shape[d] > 0 && numel > most / shape[d] ? most : numel * shape[d];
    }
    return numel;
}

static void tensor_count_bytes(int64_t more)
{
    struct context *context = context_get();
    int64_t now = atomic_fetch_add(&context->allocated, more) + more,
            most = atomic_load(&context->most_allocated);
    while (now > most && !atomic_compare_exchange_weak(&context->most_allocated, &most, now))
        ;
}

int64_t tensor_memory_allocated(void)
{
    return atomic_load(&context_get()->allocated);
}

int64_t tensor_max_memory_allocated(void)
{
    return atomic_load(&context_get()->most_allocated);
}

void tensor_reset_peak_memory(void)
{
    struct context *context = context_get();
    atomic_store(&context->most_allocated, atomic_load(&context->allocated));
}

/* On the host where gpu is NULL. */
static struct storage *tensor_storage_new(struct context *context, struct gpu *gpu, struct dist_at at,
                                          size_t bytes)
{
    struct storage *storage = malloc(sizeof(*storage));
    if (!storage)
        return NULL;
    *storage = (struct storage){ .bytes = bytes, .made_at = at };
    storage->data =
        gpu ? gpu_alloc(gpu, storage, at) : host_alloc(context->self, bytes + tensor_tail_bytes(context));
    if (!storage->data) {
        free(storage);
        return NULL;
    }
    tensor_tail_begin(context, storage);
    tensor_count_bytes((int64_t)bytes);
    return storage;
}

static void tensor_storage_free(struct launch_self *self, struct storage *storage)
{
    if (!storage)
        return;
    tensor_count_bytes(-(int64_t)storage->bytes);
    tensor_tail_end(storage);
    if (storage->gpu)
        gpu_free(storage->gpu, storage);
    else
        host_free(self, storage->data);
    free(storage);
}

/* A tensor whose elements are not yet written. */
static struct tensor *tensor_new_on(struct gpu *gpu, const char *call, struct dist_at at, enum dist_type type,
                                    int ndim, const int64_t *shape)
{
    struct tensor shaped = { .type = type, .ndim = ndim, .made_at = at };
    shaped.numel = tensor_count(call, at, type, ndim, shape);
    if (shaped.numel < 0)
        return NULL;
    memcpy(shaped.shape, shape, (size_t)ndim * sizeof(*shape));
    struct context *context = context_get();
    size_t bytes = (size_t)shaped.numel * dtype_size(type);
    struct storage *storage = tensor_storage_new(context, gpu, at, bytes);
    if (storage)
        shaped.data = storage->data;
    struct tensor *t = storage ? tensor_handle_take(context, shaped, storage) : NULL;
    if (t)
        return t;
    tensor_storage_free(context->self, storage);
    report_tensor(
        call, at, DIST_ERR_MEMORY,
        "no memory for %lld elements of %s (%.4g MiB); a rank has room for %.4g MiB where the machine "
        "has it; free what is no longer needed, or make it smaller",
        (long long)shaped.numel, dtype_name(type), (double)bytes / 0x1p20,
        (double)context->self->world.header->arena_bytes / 0x1p20);
    return NULL;
}

/* The same where this rank makes its tensors. */
static struct tensor *tensor_new(const char *call, struct dist_at at, enum dist_type type, int ndim,
                                 const int64_t *shape)
{
    struct gpu *gpu;
    return gpu_for_tensors(call, at, &gpu) ? tensor_new_on(gpu, call, at, type, ndim, shape) : NULL;
}

/* ---- the calls with a shape ------------------------------------------------- */

/* One too many where TENSOR_END is missing: then at least one length got no place. */
int tensor_dims(const int64_t *shape)
{
    int ndim = 0;
    while (ndim <= TENSOR_DIMS && shape[ndim] != TENSOR_END)
        ndim++;
    return ndim;
}

static struct tensor *tensor_filled(const char *call, struct dist_at at, enum dist_type type, double value,
                                    int ndim, const int64_t *shape)
{
    struct tensor *t = tensor_new(call, at, type, ndim, shape);
    if (t)
        tensor_fill_at(at, t, value);
    return t;
}

tensor *tensor_zeros_with(struct tensor_zeros_args a)
{
    const int64_t *shape = SHAPE_OF(a);
    return tensor_filled("tensor_zeros", a.at, a.type, 0, tensor_dims(shape), shape);
}

tensor *tensor_full_with(struct tensor_full_args a)
{
    const int64_t *shape = SHAPE_OF(a);
    return tensor_filled("tensor_full", a.at, a.type, a.value, tensor_dims(shape), shape);
}

tensor *tensor_from_with(struct tensor_from_args a)
{
    const int64_t *shape = SHAPE_OF(a);
    int ndim = tensor_dims(shape);
    int64_t numel = tensor_count("tensor_from", a.at, a.type, ndim, shape);
    if (numel > 0 && !a.values)
        return refuse("tensor_from", a.at,
                      "the values are NULL; give an array of %lld elements, or use tensor_zeros",
                      (long long)numel),
               NULL;
    struct tensor *t = numel < 0 ? NULL : tensor_new("tensor_from", a.at, a.type, ndim, shape);
    if (t)
        tensor_write_at(a.at, t, a.values);
    return t;
}

tensor *tensor_arange_at(struct dist_at at, enum dist_type type, double start, double end)
{
    if (!(end >= start && end - start < 0x1p53))
        return refuse("tensor_arange", at,
                      "it cannot count from %g up to %g; give a start, and an end that is not below it",
                      start, end),
               NULL;
    struct tensor *t = tensor_new("tensor_arange", at, type, 1, (int64_t[]){ (int64_t)ceil(end - start) });
    if (t)
        tensor_run(
            "tensor_arange", at, t,
            (struct kernel){
                .kind = KERNEL_ARANGE, .type = type, .out = t->data, .count = t->numel, .value = start });
    return t;
}

static struct tensor *tensor_copied(struct gpu *gpu, const char *call, struct dist_at at, const tensor *t)
{
    struct tensor *copy = tensor_new_on(gpu, call, at, t->type, t->ndim, t->shape);
    if (copy)
        tensor_copy_at(at, copy, t);
    return copy;
}

tensor *tensor_clone_at(struct dist_at at, const tensor *t)
{
    if (!tensor_may_read("tensor_clone", at, t))
        return NULL;
    return tensor_copied(t->gpu, "tensor_clone", at, t);
}

tensor *tensor_to_at(struct dist_at at, const tensor *t, enum dist_device device)
{
    if (!tensor_may_read("tensor_to", at, t))
        return NULL;
    if (device != DIST_HOST && device != DIST_GPU)
        return refuse("tensor_to", at, "device is %d; it must be DIST_HOST or DIST_GPU", (int)device), NULL;
    struct gpu *gpu = device == DIST_GPU ? gpu_open("tensor_to", at) : NULL;
    if (device == DIST_GPU && !gpu)
        return NULL;
    return tensor_copied(gpu, "tensor_to", at, t);
}

void tensor_free_at(struct dist_at at, tensor *t)
{
    if (!t || !tensor_may_free("tensor_free", at, t))
        return;
    struct context *context = context_get();
    struct storage *storage = t->storage;
    if (tensor_handle_give(context, t))
        tensor_storage_free(context->self, storage);
}
