/* match.c: see match.h. */
#include "match.h"

#include <stdlib.h>

static struct match_bucket *match_bucket(const struct match_table *table, uint64_t key)
{
    return &table->buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits)];
}

static void match_hang(struct match_table *table, struct match *match)
{
    struct match_bucket *bucket = match_bucket(table, match->key);
    match->chain = NULL;
    *(bucket->first ? &bucket->last->chain : &bucket->first) = match;
    bucket->last = match;
}

void match_open(struct match_table *table)
{
    table->buckets = table->few;
    for (table->bits = 0; 1u << table->bits < MATCH_FEW;)
        table->bits++;
}

void match_close(struct match_table *table)
{
    if (table->buckets != table->few)
        free(table->buckets);
}

/* Twice as many buckets. Without memory for them it only takes longer. */
static void match_grow(struct match_table *table)
{
    struct match_bucket *more = calloc((size_t)2 << table->bits, sizeof *more);
    if (!more)
        return;
    match_close(table);
    table->buckets = more;
    table->bits++;
    for (struct match *match = table->first; match; match = match->next)
        match_hang(table, match);
}

void match_add(struct match_table *table, struct match *match, uint64_t key)
{
    match->key = key;
    match->number = table->added++;
    match->next = NULL;
    match->before = table->last;
    *(table->last ? &table->last->next : &table->first) = match;
    table->last = match;
    match_hang(table, match);
    if (++table->count >> table->bits > 0)
        match_grow(table);
}

struct match *match_find(const struct match_table *table, uint64_t key)
{
    struct match *match = match_bucket(table, key)->first;
    while (match && match->key != key)
        match = match->chain;
    return match;
}

void match_remove(struct match_table *table, struct match *match)
{
    struct match_bucket *bucket = match_bucket(table, match->key);
    struct match *before = NULL;
    for (struct match *at = bucket->first; at != match; at = at->chain)
        before = at;
    *(before ? &before->chain : &bucket->first) = match->chain;
    if (bucket->last == match)
        bucket->last = before;
    *(match->before ? &match->before->next : &table->first) = match->next;
    *(match->next ? &match->next->before : &table->last) = match->before;
    table->count--;
}
