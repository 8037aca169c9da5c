/*
 * pool.h: large pieces of memory, cut into blocks. It only keeps the books, outside the memory, which it never touches:
 * so the pieces may be a GPU's, or a file's pages that cost nothing until they are touched.
 *
 *   piece   +------+-----------+----+---------------------+
 *           | used | free      |used| free                |
 *           +------+-----------+----+---------------------+
 *
 * A request takes the start of the smallest free block that is long enough. Free neighbours are joined. So what was used before is
 * used again first, and what lies at the end of a piece stays untouched.
 */
#ifndef DEVICES_POOL_H
#define DEVICES_POOL_H

#include <stdbool.h>
#include <stddef.h>

#define POOL_UNIT 512    /* bytes; blocks begin at multiples of it */
#define POOL_BUCKETS 256 /* at first */

struct block {
    char *at;
    size_t bytes;
    bool used;
    struct block *before, *behind; /* neighbours in their piece; NULL: its border */
    struct block *next, **link;    /* in the list that it is in, and what points to it there */
};

struct pool {
    struct block *free;
    struct block **used; /* by address: a table of */
    size_t buckets, in_use;
};

/* Add a piece. False: the system gives no memory for the books. */
bool pool_add(struct pool *pool, void *piece, size_t bytes);

/* A block of at least so many bytes (0 gives one, too); NULL: no free block is long enough, or there is no memory for the books. */
void *pool_take(struct pool *pool, size_t bytes);

/* Give a block back. False: the pool has no such block in use. */
bool pool_give(struct pool *pool, void *memory);

/* Take a piece out of the pool of which nothing is used, to give it back to where it came from; NULL: there is none. */
void *pool_drop(struct pool *pool);

/* Forget everything; `drop` (if not NULL) gives each piece back. */
void pool_end(struct pool *pool, void (*drop)(void *piece));

#endif
