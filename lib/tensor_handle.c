/*
 * tensor_handle.c: what a program holds of a tensor; and views, which are more such. One that was freed is kept for a while, so that
 * using it again is told as the mistake that it is.
 */
#include "context.h"
#include "launch/text.h"
#include "tensor_tail.h"

#include <stdlib.h>
#include <string.h>

struct tensor *tensor_handle_take(struct context *context, struct tensor shaped, struct storage *storage)
{
    const struct world *world = &context->self->world;
    bool shared = !storage->gpu && !storage->tail && world_offset(world, storage->data) != UINT64_MAX;
    context_lock(context);
    struct handle *again = handle_again(&context->tensors, false);
    struct tensor *t = again ? HANDLE_OF(struct tensor, again) : malloc(sizeof *t);
    if (t) {
        *t = shaped;
        t->live = TENSOR_LIVE;
        t->storage = storage;
        t->gpu = storage->gpu;
        t->bytes = (size_t)t->numel * dtype_size(t->type);
        t->reach = shared ? world->header : NULL;
        storage->users++;
        handle_open(&context->tensors, &t->handle);
    }
    context_unlock(context);
    return t;
}

bool tensor_handle_give(struct context *context, struct tensor *t)
{
    context_lock(context);
    handle_close(&context->tensors, &t->handle);
    handle_queue(&context->tensors, &t->handle);
    t->live = 0;
    t->reach = NULL;
    bool last = --t->storage->users == 0;
    context_unlock(context);
    return last;
}

bool tensor_check(const char *call, struct dist_at at, const tensor *t)
{
    if (!t)
        return refuse(call, at,
                      "the tensor is NULL; make one with tensor_zeros, tensor_full or tensor_from first");
    if (t->live != TENSOR_LIVE)
        return refuse(call, at, "the tensor made at %s:%d was freed; free it once, after its last use",
                      text_file(t->made_at.file), t->made_at.line);
    const struct launch_self *self = t->gpu ? launch_self_if_any() : NULL;
    if (t->gpu && (!self || self->gpu != t->gpu)) /* only who opened a GPU may put work into its streams */
        return refuse(
            call, at,
            "the tensor made at %s:%d lies on the GPU of another rank, or was made before the ranks "
            "were started; make it inside run()",
            text_file(t->made_at.file), t->made_at.line);
    return tensor_tail_is_whole(call, at, t);
}

/* ---- views: tensors that look at the elements of another ------------------------------- */

/* A second handle on the elements of a tensor, which has the shape already that it is to have: what messages need to know of it
 * (bytes, where it can be reached) follows from that. NULL: reported. */
static struct tensor *tensor_handle_view(const char *call, struct dist_at at, struct tensor shaped)
{
    shaped.made_at = at;
    struct tensor *view = tensor_handle_take(context_get(), shaped, shaped.storage);
    if (!view)
        report_tensor(call, at, DIST_ERR_MEMORY, "no memory for a view; free what is no longer needed");
    return view;
}

tensor *tensor_slice_at(struct dist_at at, const tensor *t, int64_t begin, int64_t end)
{
    if (!tensor_check("tensor_slice", at, t))
        return NULL;
    if (begin < 0 || begin > end || end > t->shape[0])
        return refuse("tensor_slice", at,
                      "%lld to %lld is outside: the first dimension has %lld entries, so 0 <= begin <= end "
                      "<= %lld",
                      (long long)begin, (long long)end, (long long)t->shape[0], (long long)t->shape[0]),
               NULL;
    struct tensor slice = *t;
    int64_t entry = t->shape[0] ? t->numel / t->shape[0] : 0;
    slice.shape[0] = end - begin;
    slice.numel = (end - begin) * entry;
    slice.data = (char *)t->data + begin * entry * (int64_t)dtype_size(t->type);
    return tensor_handle_view("tensor_slice", at, slice);
}

tensor *tensor_view_with(struct tensor_view_args a)
{
    const int64_t *shape = SHAPE_OF(a);
    int ndim = tensor_dims(shape);
    if (!tensor_check("tensor_view", a.at, a.t))
        return NULL;
    int64_t numel = tensor_count("tensor_view", a.at, a.t->type, ndim, shape);
    if (numel < 0)
        return NULL;
    if (numel != a.t->numel)
        return refuse("tensor_view", a.at,
                      "that shape has %lld elements, the tensor %lld; both must have as many",
                      (long long)numel, (long long)a.t->numel),
               NULL;
    struct tensor other = *a.t;
    other.ndim = ndim;
    memcpy(other.shape, shape, (size_t)ndim * sizeof(*shape));
    return tensor_handle_view("tensor_view", a.at, other);
}
