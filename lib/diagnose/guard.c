/*
 * guard.c: the flights, and the pages that are closed for them.
 *
 * A page is closed as much as the strictest flight on it asks for, unless an innocent neighbour was touched: then it
 * stays open until its last flight has landed. The lock is held for moments only, and nothing that is done under it
 * can fault, so the handler of a fault may take it too.
 */
#define _GNU_SOURCE
#include "guard.h"
#include "../dist.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define OPEN_PAGES 1024 /* opened for neighbours; further ones may be closed again by the next message */

struct entry {
    struct flight flight;
    bool pardoned; /* a touch was told: no more of it */
    struct entry *next;
};

static struct {
    atomic_flag lock;
    _Atomic bool open;
    bool protects;        /* the second view is there */
    char *base;           /* of it */
    uintptr_t begin, end; /* the program's view */
    uintptr_t page;       /* bytes */
    struct entry *entries;
    _Atomic int count;
    uintptr_t opened[OPEN_PAGES];
    int opened_count;
} guard = { .lock = ATOMIC_FLAG_INIT };

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&guard.lock, memory_order_acquire))
        sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&guard.lock, memory_order_release);
}

bool guard_is_open(void)
{
    return atomic_load_explicit(&guard.open, memory_order_acquire);
}

bool guard_open(struct world *world, void (*tell)(struct misuse *misuse))
{
    lock();
    if (!guard.open ||
        guard.begin != (uintptr_t)world->header) { /* a fork may have brought another world's list */
        guard.entries = NULL;
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
    unlock();
    return protects;
}

/* ---- pages ---------------------------------------------------------------------- */

static uintptr_t page_of(uintptr_t address)
{
    return address / guard.page * guard.page;
}

static bool covers(const struct entry *entry, uintptr_t begin, uintptr_t end)
{
    return !entry->pardoned && entry->flight.begin < end && begin < entry->flight.end;
}

static bool was_opened(uintptr_t page)
{
    for (int i = 0; i < guard.opened_count; i++)
        if (guard.opened[i] == page)
            return true;
    return false;
}

static int protection_of(uintptr_t page)
{
    int protection = PROT_READ | PROT_WRITE;
    for (const struct entry *entry = guard.entries; entry; entry = entry->next)
        if (covers(entry, page, page + guard.page))
            protection &= entry->flight.written ? PROT_NONE : PROT_READ;
    return was_opened(page) ? PROT_READ | PROT_WRITE : protection;
}

/* The next page after `page` at which the protection may be another one. */
static uintptr_t next_border(uintptr_t page, uintptr_t end)
{
    for (const struct entry *entry = guard.entries; entry; entry = entry->next) {
        uintptr_t first = page_of(entry->flight.begin), last = page_of(entry->flight.end - 1) + guard.page;
        if (first > page && first < end)
            end = first;
        if (last > page && last < end)
            end = last;
    }
    for (int i = 0; i < guard.opened_count; i++) {
        uintptr_t opened = guard.opened[i];
        if (opened > page && opened < end)
            end = opened;
        if (opened == page)
            end = page + guard.page;
    }
    return end;
}

static void protect(uintptr_t begin, uintptr_t end)
{
    end = page_of(end - 1) + guard.page;
    if (guard.protects && begin >= guard.begin && end <= guard.end) /* a real GPU's memory is closed anyway */
        for (uintptr_t page = page_of(begin), border; page < end; page = border) {
            border = next_border(page, end);
            mprotect((void *)page, border - page, protection_of(page));
        }
}

/* Pages on which nothing is in flight any more need no exception. */
static void forget_opened(void)
{
    int kept = 0;
    for (int i = 0; i < guard.opened_count; i++) {
        bool used = false;
        for (const struct entry *entry = guard.entries; entry && !used; entry = entry->next)
            used = covers(entry, guard.opened[i], guard.opened[i] + guard.page);
        if (used)
            guard.opened[kept++] = guard.opened[i];
    }
    guard.opened_count = kept;
}

/* ---- flights -------------------------------------------------------------------- */

void guard_take(const struct flight *flight)
{
    struct entry *entry = flight->begin < flight->end ? malloc(sizeof *entry) : NULL;
    if (!entry)
        return;
    *entry = (struct entry){ .flight = *flight };
    lock();
    entry->next = guard.entries;
    guard.entries = entry;
    atomic_fetch_add(&guard.count, 1);
    protect(flight->begin, flight->end);
    unlock();
}

void guard_release(const void *work)
{
    struct entry *gone = NULL;
    lock();
    for (struct entry **at = &guard.entries; *at;) {
        struct entry *entry = *at;
        if (entry->flight.work != work) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        entry->next = gone;
        gone = entry;
        atomic_fetch_sub(&guard.count, 1);
        protect(entry->flight.begin, entry->flight.end);
    }
    forget_opened();
    unlock();
    while (gone) {
        struct entry *next = gone->next;
        free(gone);
        gone = next;
    }
}

void guard_pardon(const void *work)
{
    lock();
    for (struct entry *entry = guard.entries; entry; entry = entry->next)
        if (entry->flight.work == work) {
            entry->pardoned = true;
            protect(entry->flight.begin, entry->flight.end);
        }
    unlock();
}

static bool harms(const struct flight *flight, enum touch touch)
{
    return flight->written || (touch != TOUCH_READ && touch != TOUCH_SEND && touch != TOUCH_UNKNOWN);
}

static bool find(uintptr_t begin, uintptr_t end, bool device, enum touch touch, struct misuse *misuse)
{
    bool found = false;
    if (atomic_load_explicit(&guard.count, memory_order_acquire) == 0)
        return false;
    lock();
    for (const struct entry *entry = guard.entries; entry && !found; entry = entry->next)
        if (covers(entry, begin, end) && entry->flight.device == device && harms(&entry->flight, touch)) {
            misuse->flight = entry->flight;
            misuse->touch = touch;
            found = true;
        }
    unlock();
    return found;
}

bool guard_finds(uintptr_t begin, uintptr_t end, enum touch touch, struct misuse *misuse)
{
    return find(begin, end, false, touch, misuse);
}

enum fault guard_fault(uintptr_t address, struct misuse *misuse)
{
    if (find(address, address + 1, true, misuse->touch, misuse))
        return FAULT_MISUSE;
    if (!guard.protects || address < guard.begin || address >= guard.end)
        return FAULT_FOREIGN;
    uintptr_t page = page_of(address);
    if (misuse->touch == TOUCH_UNKNOWN && protection_of(page) == PROT_READ)
        misuse->touch = TOUCH_WRITE;
    if (guard_finds(address, address + 1, misuse->touch, misuse))
        return FAULT_MISUSE;
    lock();
    if (guard.opened_count < OPEN_PAGES && !was_opened(page))
        guard.opened[guard.opened_count++] = page;
    bool mended = mprotect((void *)page, guard.page, PROT_READ | PROT_WRITE) == 0;
    unlock();
    return mended ? FAULT_INNOCENT : FAULT_FOREIGN;
}
