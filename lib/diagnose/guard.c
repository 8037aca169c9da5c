/*
 * guard.c: the ranges in flight, and the pages that are closed for them; but for some that were opened for innocent neighbours.
 *
 * A page is closed as much as the strictest range in flight on it asks for. Where an innocent neighbour is touched, the page is opened for
 * that one touch (fault.c), or where that cannot be, or has happened very often, until its last range is free again. The lock is held
 * for moments only, and nothing that is done under it can fault, so the handler of a fault may take it too.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OPEN_PAGES 1024 /* further ones are closed again by the next message */
#define PASSES 2000 /* touches of a page are let pass one by one, which takes a few us; then it stays open */

enum place { PLACE_READ, PLACE_WRITTEN, PLACE_DEVICE, PLACES };

static struct {
    atomic_flag lock;
    _Atomic bool open;
    bool protects;                  /* the second view is there */
    char *base;                     /* of it */
    uintptr_t begin, end;           /* the program's view */
    uintptr_t page;                 /* bytes */
    struct stretch *places[PLACES]; /* the ranges that were not pardoned */
    uint64_t number;                /* of ranges, ever */
    _Atomic int count;
    struct {
        uintptr_t page;
        unsigned passes;
    } opened[OPEN_PAGES]; /* for neighbours that the program touches */
    int opened_count;
} guard = { .lock = ATOMIC_FLAG_INIT };

static void guard_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&guard.lock, memory_order_acquire))
        sched_yield();
}

static void guard_unlock(void)
{
    atomic_flag_clear_explicit(&guard.lock, memory_order_release);
}

bool guard_is_open(void)
{
    return atomic_load_explicit(&guard.open, memory_order_acquire);
}

bool guard_open(struct world *world, void (*tell)(struct misuse *misuse))
{
    guard_lock();
    if (guard.begin != (uintptr_t)world->header) { /* a fork may have brought another world's ranges */
        memset(guard.places, 0, sizeof guard.places);
        guard.count = 0;
        guard.opened_count = 0;
        guard.page = (uintptr_t)sysconf(_SC_PAGESIZE);
        guard.begin = (uintptr_t)world->header;
        guard.end = guard.begin + world->header->bytes;
        guard.protects = world_map_twice(world) && fault_catch(tell);
        guard.base = world->base;
        atomic_store(&guard.open, true);
    }
    world->base = guard.base; /* ranks that are threads share the second view */
    bool protects = guard.protects;
    guard_unlock();
    return protects;
}

void guard_stand_first(void)
{
    guard_lock();
    if (guard.protects)
        fault_catch(NULL);
    guard_unlock();
}

/* ---- pages ---------------------------------------------------------------------- */

static uintptr_t guard_page_of(uintptr_t address)
{
    return address / guard.page * guard.page;
}

static struct stretch **guard_place_of(const struct guarded *range)
{
    return &guard.places[range->device ? PLACE_DEVICE : range->written ? PLACE_WRITTEN : PLACE_READ];
}

/* A range in flight over [begin, end). NULL: there is none. */
static const struct stretch *guard_over(enum place place, uintptr_t begin, uintptr_t end)
{
    const struct stretch *found = stretch_find(guard.places[place], NULL, begin);
    return found && found->begin < end ? found : NULL;
}

static int guard_place_among_opened(uintptr_t page)
{
    int i = 0;
    while (i < guard.opened_count && guard.opened[i].page != page)
        i++;
    return i;
}

static int guard_protection_of(uintptr_t page)
{
    uintptr_t after = page + guard.page;
    int i = guard_place_among_opened(page);
    if (i < guard.opened_count && guard.opened[i].passes >= PASSES)
        return PROT_READ | PROT_WRITE;
    if (guard_over(PLACE_WRITTEN, page, after) || guard_over(PLACE_DEVICE, page, after))
        return PROT_NONE;
    return guard_over(PLACE_READ, page, after) ? PROT_READ : PROT_READ | PROT_WRITE;
}

/* Pages that are protected alike in one call. */
static void guard_protect(const struct stretch *bytes)
{
    uintptr_t page = guard_page_of(bytes->begin), end = guard_page_of(bytes->end - 1) + guard.page;
    bool ours = guard.protects && bytes->begin >= guard.begin && end <= guard.end;
    for (uintptr_t next; ours && page < end; page = next) { /* a real GPU's memory is closed anyway */
        int protection = guard_protection_of(page);
        for (next = page + guard.page; next < end && guard_protection_of(next) == protection;)
            next += guard.page;
        mprotect((void *)page, next - page, protection);
    }
}

/* Let one touch pass, or all. */
static void guard_let_pass(uintptr_t page, bool for_good)
{
    int i = guard_place_among_opened(page);
    if (i == OPEN_PAGES)
        return;
    if (i == guard.opened_count) {
        guard.opened[guard.opened_count++].page = page;
        guard.opened[i].passes = 0;
    }
    guard.opened[i].passes += for_good ? PASSES : 1;
}

/* Pages of these bytes on which nothing is in flight any more need no exception. */
static void guard_forget_opened(const struct stretch *landed)
{
    int kept = 0;
    for (int i = 0; i < guard.opened_count; i++) {
        uintptr_t page = guard.opened[i].page, after = page + guard.page;
        if (landed->end <= page || after <= landed->begin || guard_over(PLACE_READ, page, after) ||
            guard_over(PLACE_WRITTEN, page, after) || guard_over(PLACE_DEVICE, page, after))
            guard.opened[kept++] = guard.opened[i];
    }
    guard.opened_count = kept;
}

/* ---- ranges in flight -------------------------------------------------------------------- */

void guard_take(struct guarded **ranges, const struct guarded *range)
{
    struct guarded *taken = range->bytes.begin < range->bytes.end ? malloc(sizeof *taken) : NULL;
    if (!taken)
        return;
    *taken = *range;
    taken->next = *ranges;
    *ranges = taken;
    guard_lock();
    taken->bytes.number = guard.number++;
    stretch_add(guard_place_of(taken), &taken->bytes);
    atomic_fetch_add(&guard.count, 1);
    guard_protect(&taken->bytes);
    guard_unlock();
}

/* It may have been pardoned before, or belong to another world. */
void guard_pardon(const struct guarded *range)
{
    guard_lock();
    if (stretch_remove(guard_place_of(range), &range->bytes)) {
        atomic_fetch_sub(&guard.count, 1);
        guard_protect(&range->bytes);
    }
    guard_forget_opened(&range->bytes);
    guard_unlock();
}

void guard_release(struct guarded **ranges)
{
    while (*ranges) {
        struct guarded *range = *ranges;
        *ranges = range->next;
        guard_pardon(range);
        free(range);
    }
}

static bool guard_find(uintptr_t begin, uintptr_t end, bool device, enum touch touch, struct misuse *misuse)
{
    if (atomic_load_explicit(&guard.count, memory_order_acquire) == 0)
        return false;
    guard_lock();
    const struct stretch *found = guard_over(device ? PLACE_DEVICE : PLACE_WRITTEN, begin, end);
    if (!found && !device && touch_changes(touch)) /* what is only read lets others read */
        found = guard_over(PLACE_READ, begin, end);
    if (found) {
        misuse->range = *(const struct guarded *)found;
        misuse->touch = touch;
    }
    guard_unlock();
    return found;
}

bool guard_finds(uintptr_t begin, uintptr_t end, enum touch touch, struct misuse *misuse)
{
    return guard_find(begin, end, false, touch, misuse);
}

void guard_close(uintptr_t address)
{
    uintptr_t page = guard_page_of(address);
    guard_lock();
    mprotect((void *)page, guard.page, guard_protection_of(page));
    guard_unlock();
}

enum fault guard_fault(uintptr_t address, bool passes, struct misuse *misuse)
{
    if (guard_find(address, address + 1, true, misuse->touch, misuse))
        return FAULT_MISUSE;
    if (!guard.protects || address < guard.begin || address >= guard.end)
        return FAULT_FOREIGN;
    uintptr_t page = guard_page_of(address);
    guard_lock();
    bool readable = guard_protection_of(page) == PROT_READ;
    guard_unlock();
    if (misuse->touch == TOUCH_UNKNOWN && readable)
        misuse->touch = TOUCH_WRITE;
    if (guard_finds(address, address + 1, misuse->touch, misuse))
        return FAULT_MISUSE;
    guard_lock();
    guard_let_pass(page, !passes);
    bool mended = mprotect((void *)page, guard.page, PROT_READ | PROT_WRITE) == 0;
    guard_unlock();
    return mended ? FAULT_INNOCENT : FAULT_FOREIGN;
}
