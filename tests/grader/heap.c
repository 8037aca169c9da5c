/*
 * heap.c: what the learner's file gets from malloc ends where it says, and holds nothing of use.
 *
 * C's library rounds up what it gives, and its new memory is often zero: a list of works with one place too few works by luck. So
 * grade_one.sh renames these four calls in the learner's object, as it does for late.c. Here a block is filled, and stands between two
 * marks; the one behind it is looked at when it is freed, and of all blocks when the function has returned. (Of arrays on the stack the
 * compiler sees to that.)
 */
#include "desk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BEHIND 32 /* bytes */
#define MARK 0x7f /* also what fills a block: no number, place or rank that anybody means */

/* Before each block. What comes from elsewhere (strdup) has no `own` there. */
struct block {
    struct block *before, *next; /* of this rank's */
    size_t bytes;
    uintptr_t own; /* last */
};
_Static_assert(sizeof(struct block) % 16 == 0, "what stands behind it is aligned for any type");

static _Thread_local struct block *first;

static uintptr_t own_of(const struct block *block)
{
    return (uintptr_t)block ^ 0x6865617062656764u;
}

static struct block *block_of(void *memory)
{
    struct block *block = (struct block *)memory - 1;
    return memory && block->own == own_of(block) ? block : NULL;
}

/* Ends the rank as an array does that is used past its end. */
static void look(const struct block *block)
{
    const unsigned char *behind = (const unsigned char *)(block + 1) + block->bytes;
    size_t i = 0;
    while (i < BEHIND && behind[i] == MARK)
        i++;
    if (i == BEHIND)
        return;
    fprintf(stderr,
            "Of memory that was asked for with %zu bytes, byte %zu was written: that is behind its end.\n",
            block->bytes, block->bytes + i);
    desk_stand();
    __builtin_trap();
}

/* In the library's words for a tensor: leftover.c reads them. */
void desk_look_at_heap(void)
{
    for (const struct block *block = first; block; block = block->next)
        look(block);
    if (first)
        fprintf(stderr, "never freed       %zu bytes from malloc\n", first->bytes);
}

void *desk_heap_malloc(size_t bytes);
void *desk_heap_malloc(size_t bytes)
{
    struct block *block = bytes < SIZE_MAX / 2 ? malloc(sizeof *block + bytes + BEHIND) : NULL;
    if (!block)
        return NULL;
    *block = (struct block){ .next = first, .bytes = bytes, .own = own_of(block) };
    if (first)
        first->before = block;
    first = block;
    return memset(block + 1, MARK, bytes + BEHIND);
}

void desk_heap_free(void *memory);
void desk_heap_free(void *memory)
{
    struct block *block = block_of(memory);
    if (!block) {
        free(memory);
        return;
    }
    look(block);
    if (block->before)
        block->before->next = block->next;
    else
        first = block->next;
    if (block->next)
        block->next->before = block->before;
    memset(memory, MARK, block->bytes);
    block->own = 0;
    free(block);
}

void *desk_heap_calloc(size_t count, size_t bytes);
void *desk_heap_calloc(size_t count, size_t bytes)
{
    void *memory = bytes == 0 || count < SIZE_MAX / bytes ? desk_heap_malloc(count * bytes) : NULL;
    return memory ? memset(memory, 0, count * bytes) : NULL;
}

void *desk_heap_realloc(void *memory, size_t bytes);
void *desk_heap_realloc(void *memory, size_t bytes)
{
    struct block *block = block_of(memory);
    if (memory && !block)
        return realloc(memory, bytes);
    void *other = desk_heap_malloc(bytes);
    if (other && block) {
        memcpy(other, memory, bytes < block->bytes ? bytes : block->bytes);
        desk_heap_free(memory);
    }
    return other;
}
