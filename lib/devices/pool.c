/* pool.c: see pool.h. */
#include "pool.h"

#include <stdint.h>
#include <stdlib.h>

static struct block **pool_bucket_of(struct pool *pool, const void *address)
{
    uint64_t mixed = (uintptr_t)address / POOL_UNIT * UINT64_C(0x9e3779b97f4a7c15); /* whole pages, mostly */
    return &pool->used[mixed >> 32 & (pool->buckets - 1)];
}

static void pool_link_in(struct block **list, struct block *block)
{
    block->next = *list;
    block->link = list;
    if (*list)
        (*list)->link = &block->next;
    *list = block;
}

static void pool_link_out(struct block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
}

/* A bucket for each block in use. Without memory for that the buckets get longer. False: there are none. */
static bool pool_widen(struct pool *pool)
{
    struct pool wide = { .buckets = pool->buckets ? 2 * pool->buckets : POOL_BUCKETS };
    if (pool->in_use < pool->buckets || !(wide.used = calloc(wide.buckets, sizeof *wide.used)))
        return pool->used;
    for (size_t i = 0; i < pool->buckets; i++)
        for (struct block *block; (block = pool->used[i]);) {
            pool_link_out(block);
            pool_link_in(pool_bucket_of(&wide, block->at), block);
        }
    free(pool->used);
    pool->used = wide.used;
    pool->buckets = wide.buckets;
    return true;
}

bool pool_add(struct pool *pool, void *piece, size_t bytes)
{
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return false;
    block->at = piece;
    block->bytes = bytes;
    pool_link_in(&pool->free, block);
    return true;
}

static struct block *pool_best_for(const struct pool *pool, size_t bytes)
{
    struct block *best = NULL;
    for (struct block *block = pool->free; block && (!best || best->bytes > bytes); block = block->next)
        if (block->bytes >= bytes && (!best || block->bytes < best->bytes))
            best = block;
    return best;
}

/* Cut what is more than `bytes` off a free block. False: there is no memory for the books. */
static bool pool_cut(struct pool *pool, struct block *block, size_t bytes)
{
    struct block *rest = block->bytes > bytes ? calloc(1, sizeof *rest) : NULL;
    if (!rest)
        return block->bytes == bytes;
    rest->at = block->at + bytes;
    rest->bytes = block->bytes - bytes;
    rest->before = block;
    rest->behind = block->behind;
    if (rest->behind)
        rest->behind->before = rest;
    block->behind = rest;
    block->bytes = bytes;
    pool_link_in(&pool->free, rest);
    return true;
}

void *pool_take(struct pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX - POOL_UNIT)
        return NULL;
    bytes = bytes ? (bytes + POOL_UNIT - 1) / POOL_UNIT * POOL_UNIT : POOL_UNIT;
    struct block *block = pool_best_for(pool, bytes);
    if (!block || !pool_widen(pool) || !pool_cut(pool, block, bytes))
        return NULL;
    pool_link_out(block);
    block->used = true;
    pool->in_use++;
    pool_link_in(pool_bucket_of(pool, block->at), block);
    return block->at;
}

/* Make one block of two free neighbours. */
static void pool_join(struct block *block, struct block *behind)
{
    pool_link_out(behind);
    block->bytes += behind->bytes;
    block->behind = behind->behind;
    if (block->behind)
        block->behind->before = block;
    free(behind);
}

bool pool_give(struct pool *pool, void *memory)
{
    struct block *block = pool->used ? *pool_bucket_of(pool, memory) : NULL;
    while (block && block->at != memory)
        block = block->next;
    if (!block)
        return false;
    pool_link_out(block);
    block->used = false;
    pool->in_use--;
    pool_link_in(&pool->free, block);
    if (block->behind && !block->behind->used)
        pool_join(block, block->behind);
    if (block->before && !block->before->used)
        pool_join(block->before, block);
    return true;
}

void *pool_drop(struct pool *pool)
{
    struct block *block = pool->free;
    while (block && (block->before || block->behind))
        block = block->next;
    if (!block)
        return NULL;
    void *piece = block->at;
    pool_link_out(block);
    free(block);
    return piece;
}

static void pool_free_list(struct block *block, void (*drop)(void *piece))
{
    while (block) {
        struct block *next = block->next;
        if (!block->before && drop)
            drop(block->at);
        free(block);
        block = next;
    }
}

void pool_end(struct pool *pool, void (*drop)(void *piece))
{
    pool_free_list(pool->free, drop);
    for (size_t i = 0; i < pool->buckets; i++)
        pool_free_list(pool->used[i], drop);
    free(pool->used);
    *pool = (struct pool){ 0 };
}
