/*
 * tensor_handle.c: what a program holds of a tensor. A freed handle is kept for a while, so that using it again is
 * told as the mistake that it is.
 */
#include "context.h"
#include "launch/text.h"

#include <stdlib.h>

struct tensor *tensor_handle_take(struct context *context, struct tensor shaped, struct storage *storage)
{
    const struct world *world = &context->self->world;
    bool shared = !storage->gpu && world_offset(world, storage->data) != UINT64_MAX;
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

const char *tensor_unusable(const tensor *t)
{
    if (!t)
        return "is NULL";
    return t->live == TENSOR_LIVE ? NULL : "was freed";
}

/* Nobody but the rank that opened a GPU may put work into its streams. */
static bool tensor_handle_is_ours(const tensor *t)
{
    const struct launch_self *self = t->gpu ? launch_self_if_any() : NULL;
    return !t->gpu || (self && self->gpu == t->gpu);
}

bool tensor_check(const char *call, struct dist_at at, const tensor *t)
{
    if (!t)
        return refuse(call, at,
                      "the tensor is NULL; make one with tensor_zeros, tensor_full or tensor_from first");
    if (t->live != TENSOR_LIVE)
        return refuse(call, at, "the tensor made at %s:%d was freed; free it once, after its last use",
                      text_file(t->made_at.file), t->made_at.line);
    if (!tensor_handle_is_ours(t))
        return refuse(
            call, at,
            "the tensor made at %s:%d lies on the GPU of another rank, or was made before the ranks "
            "were started; make it inside run()",
            text_file(t->made_at.file), t->made_at.line);
    return true;
}
