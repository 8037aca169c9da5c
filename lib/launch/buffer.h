/* buffer.h: bytes that grow at their end. */
#ifndef LAUNCH_BUFFER_H
#define LAUNCH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* All zero at first; `bytes` is freed by its owner. */
struct buffer {
    char *bytes;
    size_t used, room;
};

/* See to it that so many more have room. False: no memory. */
static inline bool buffer_reserve(struct buffer *buffer, size_t size)
{
    if (buffer->used + size <= buffer->room)
        return true;
    size_t room = (buffer->used + size) * 2;
    char *larger = realloc(buffer->bytes, room);
    if (!larger)
        return false;
    buffer->bytes = larger;
    buffer->room = room;
    return true;
}

static inline bool buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
    if (!buffer_reserve(buffer, size))
        return false;
    if (size > 0)
        memcpy(buffer->bytes + buffer->used, bytes, size);
    buffer->used += size;
    return true;
}

/* Take the first so many away. */
static inline void buffer_drop(struct buffer *buffer, size_t size)
{
    if (size > 0 && size < buffer->used)
        memmove(buffer->bytes, buffer->bytes + size, buffer->used - size);
    buffer->used -= size;
}

#endif
