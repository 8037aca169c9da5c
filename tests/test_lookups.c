/* test_lookups.c: stretches of memory (lib/stretch.h) and the table of sends and receives that match (backends/common/match.h): what is
 * looked for is found, in its order, and in few steps, however many there are. */
#define _GNU_SOURCE
#include "backends/common/match.h"
#include "stretch.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(lookups, .timeout = 60);

/* Against a plain list: what lies over a stretch, in order; however it grew, it is not deep. */
Test(lookups, stretches_are_found_where_they_lie)
{
    enum { COUNT = 400 };
    static struct stretch all[COUNT];
    struct stretch *root = NULL;
    unsigned state = 1;
    for (int round = 0; round < 20000; round++) {
        struct stretch *one = &all[(state = state * 1664525 + 1013904223) >> 8 & 0xff];
        uintptr_t at = (state >> 16) % 1000;
        if (one->end) {
            cr_assert_eq(stretch_remove(&root, one), one);
            cr_assert_null(stretch_remove(&root, one), "it is there twice");
            one->end = 0;
        } else {
            *one = (struct stretch){ .begin = at, .end = at + 1 + state % 60, .number = (uint64_t)round };
            stretch_add(&root, one);
        }
        int over = 0, found = 0;
        for (int i = 0; i < COUNT; i++)
            over += all[i].end > at;
        for (struct stretch *next = NULL, *last; last = next, (next = stretch_find(root, last, at)); found++)
            cr_assert(next->end > at && (!last || last->begin <= next->begin));
        cr_assert(over == found, "round %d: %d end behind %d, found were %d", round, over, (int)at, found);
    }
}

static int depth_of(const struct stretch *top)
{
    int left = top ? depth_of(top->left) : 0, right = top ? depth_of(top->right) : 0;
    return top ? 1 + (left > right ? left : right) : 0;
}

Test(lookups, stretches_are_found_in_few_steps)
{
    enum { COUNT = 100000 };
    for (int order = 0; order < 3; order++) {
        struct stretch *all = calloc(COUNT, sizeof *all), *root = NULL;
        for (uintptr_t i = 0; i < COUNT; i++) {
            uintptr_t at = order == 0 ? i : order == 1 ? COUNT - i : 7;
            all[i] = (struct stretch){ .begin = at, .end = at + 1, .number = i };
            stretch_add(&root, &all[i]);
        }
        cr_expect_lt(depth_of(root), 60);
        free(all);
    }
}

/* How many entries are looked at until all keys of a table were found and removed. */
static size_t steps_for(int count, int keys, bool reverse)
{
    struct match_table table = { 0 };
    struct match *entries = calloc((size_t)count, sizeof *entries);
    size_t steps = 0;
    match_open(&table);
    for (int i = 0; i < count; i++)
        match_add(&table, &entries[i], match_key(i % 3, 7, i % keys));
    for (int i = 0; i < count; i++) {
        int k = reverse ? count - 1 - i : i;
        struct match *found = match_find(&table, match_key(k % 3, 7, k % keys));
        cr_assert(found && found->key == entries[k].key);
        struct match *at =
            table.buckets[found->key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table.bits)].first;
        for (steps++; at != found; at = at->chain)
            steps++;
        match_remove(&table, found);
    }
    cr_expect(table.count == 0 && !table.first && !table.last);
    match_close(&table);
    free(entries);
    return steps;
}

Test(lookups, matching_takes_few_steps)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        cr_expect_lt(steps_for(100000, 100000, reverse), 300000u, "all tags different");
        cr_expect_lt(steps_for(100000, 1, reverse), 300000u, "all the same");
        cr_expect_lt(steps_for(100000, 1000, reverse), 300000u, "some of each");
    }
}

/* Of those with one key the first comes first, and others leave that as it is. */
Test(lookups, matching_keeps_the_order)
{
    struct match_table table = { 0 };
    static struct match entries[500];
    match_open(&table);
    for (int i = 0; i < 500; i++)
        match_add(&table, &entries[i], match_key(1, 2, i % 5));
    match_remove(&table, &entries[7]);
    for (int i = 2; i < 500; i += 5) {
        struct match *found = match_find(&table, match_key(1, 2, 2));
        if (i == 7)
            continue;
        cr_expect(found == &entries[i], "entry %d is not the next", i);
        match_remove(&table, found);
    }
    cr_expect(!match_find(&table, match_key(1, 2, 2)) && !match_find(&table, match_key(0, 2, 1)));
    match_close(&table);
}
