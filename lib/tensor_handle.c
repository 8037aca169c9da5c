/*
 * tensor_handle.c: what a program holds of a tensor. A freed handle is kept for a while, so that using it again is
 * told as the mistake that it is.
 */
#include "context.h"
#include "launch/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Where freed handles wait, oldest first. */
struct handles {
    pthread_mutex_t lock; /* a rank's program may use threads of its own; it also guards storage.users */
    struct tensor *first, *last;
    int count;
    struct tensor *newest; /* not freed */
};

static void *tensor_handle_make_handles(struct launch_self *self)
{
    struct handles *handles = calloc(1, sizeof *handles);
    (void)self;
    if (handles)
        pthread_mutex_init(&handles->lock, NULL);
    return handles;
}

struct tensor *tensor_handle_take(struct launch_self *self)
{
    struct handles *handles = launch_once(&self->tensors, tensor_handle_make_handles, self);
    struct tensor *t = NULL;
    if (!handles)
        return NULL;
    pthread_mutex_lock(&handles->lock);
    if (handles->count > QUARANTINE) {
        t = handles->first;
        handles->first = t->next_free;
        handles->count--;
    }
    pthread_mutex_unlock(&handles->lock);
    return t ? t : malloc(sizeof(*t));
}

void tensor_handle_look(struct launch_self *self, struct tensor *t, struct storage *storage)
{
    struct handles *handles = self->tensors;
    t->storage = storage;
    t->gpu = storage->gpu;
    t->bytes = (size_t)t->numel * dtype_size(t->type);
    bool shared = !storage->gpu && world_offset(&self->world, storage->data) != UINT64_MAX;
    t->reach = shared ? self->world.header : NULL;
    pthread_mutex_lock(&handles->lock);
    storage->users++;
    t->newer = NULL;
    t->older = handles->newest;
    if (t->older)
        t->older->newer = t;
    handles->newest = t;
    pthread_mutex_unlock(&handles->lock);
}

bool tensor_handle_give(struct launch_self *self, struct tensor *t)
{
    struct handles *handles = self->tensors;
    pthread_mutex_lock(&handles->lock);
    if (t->older)
        t->older->newer = t->newer;
    if (t->newer)
        t->newer->older = t->older;
    else
        handles->newest = t->older;
    t->live = 0;
    t->reach = NULL;
    t->next_free = NULL;
    if (handles->count++)
        handles->last->next_free = t;
    else
        handles->first = t;
    handles->last = t;
    bool last = --t->storage->users == 0;
    pthread_mutex_unlock(&handles->lock);
    return last;
}

const struct tensor *tensor_handle_newest(struct launch_self *self)
{
    const struct handles *handles = self->tensors;
    return handles ? handles->newest : NULL;
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
        return !report_tensor(
            call, at, DIST_ERR_ARGUMENT,
            "the tensor is NULL; make one with tensor_zeros, tensor_full or tensor_from first");
    if (t->live != TENSOR_LIVE)
        return !report_tensor(call, at, DIST_ERR_ARGUMENT,
                              "the tensor made at %s:%d was freed; free it once, after its last use",
                              text_file(t->made_at.file), t->made_at.line);
    if (!tensor_handle_is_ours(t))
        return !report_tensor(
            call, at, DIST_ERR_ARGUMENT,
            "the tensor made at %s:%d lies on the GPU of another rank, or was made before the ranks "
            "were started; make it inside run()",
            text_file(t->made_at.file), t->made_at.line);
    return true;
}
