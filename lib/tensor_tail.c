/*
 * tensor_tail.c: DIST_CHECK=1: a few bytes behind each tensor on the host, which nobody may write.
 *
 * Memory comes in whole pages, so who writes a little past the last element through tensor_data() does no harm, by luck: until the tensor is
 * as long as its pages. With a tail it is told, by the next call that is given the tensor. What is read there looks like no number that
 * anybody has: 3.4e38 as an F32.
 */
#include "tensor_tail.h"
#include "context.h"
#include "launch/text.h"

#include <string.h>

#define TAIL_BYTES 64
#define TAIL_BYTE 0x7f

size_t tensor_tail_bytes(const struct context *context)
{
    return context->checked ? TAIL_BYTES : 0;
}

/* In the view that is never closed: its page is the last element's, which may be in flight. */
void tensor_tail_begin(const struct context *context, struct storage *storage)
{
    if (!context->checked || storage->gpu)
        return;
    storage->tail = (unsigned char *)world_open_view(&context->self->world, storage->data) + storage->bytes;
    memset(storage->tail, TAIL_BYTE, TAIL_BYTES);
}

void tensor_tail_end(const struct storage *storage)
{
    if (storage->tail)
        memset(storage->tail - storage->bytes, TAIL_BYTE, storage->bytes);
}

bool tensor_tail_look(const char *call, struct dist_at at, const tensor *t)
{
    const struct storage *storage = t->storage;
    size_t i = 0, size = dtype_size(t->type);
    while (i < TAIL_BYTES && storage->tail[i] == TAIL_BYTE)
        i++;
    if (i == TAIL_BYTES)
        return true;
    memset(storage->tail, TAIL_BYTE, TAIL_BYTES); /* it is told once */
    long long count = (long long)(storage->bytes / size);
    return refuse(
        call, at,
        "something was written behind the end of the tensor made at %s:%d, where element %lld would "
        "be, of %lld; a loop over tensor_data() must end before element %lld",
        text_file(storage->made_at.file), storage->made_at.line, count + (long long)(i / size), count, count);
}
