/* site.c: call sites as small numbers that other processes can read, and calls in words. */
#include "launch.h"
#include "../call.h"

#include <sched.h>
#include <string.h>

/* A file's lines stand side by side, so that its calls are on a page or two. */
static uint32_t site_first_place(const char *name, int line)
{
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return (h * 2654435769u >> 16) + (uint32_t)line;
}

/* Only threads of this rank write here, so waiting for one that is filling an entry is short. */
static bool site_claim_or_match(struct site *site, const char *name, int line)
{
    int32_t used = 0;
    if (atomic_load(&site->used) == 0 && atomic_compare_exchange_strong(&site->used, &used, 1)) {
        strncpy(site->file, name, sizeof site->file - 1);
        site->line = line;
        atomic_store(&site->used, 2);
        return true;
    }
    while (atomic_load(&site->used) != 2)
        sched_yield();
    return site->line == line && strcmp(site->file, name) == 0;
}

static struct site *sites_of(const struct world *world, int rank)
{
    return (struct site *)world_at(world, world->header->sites_offset) + (size_t)rank * WORLD_SITES;
}

uint32_t world_site(struct world *world, int rank, struct dist_at at)
{
    struct site *sites = sites_of(world, rank);
    const char *name = text_file_in(at.file, SITE_CHARS);
    uint32_t last = WORLD_SITES - 1, start = site_first_place(name, at.line);
    for (uint32_t i = 0; i < last; i++) {
        uint32_t site = (start + i) % last;
        if (site_claim_or_match(&sites[site], name, at.line))
            return site;
    }
    site_claim_or_match(&sites[last], "a place not noted", 0);
    return last;
}

const struct site *world_site_at(const struct world *world, int rank, uint32_t site)
{
    static const struct site unknown = { .file = "?", .used = 2 };
    if (rank < 0 || rank >= world->header->size || site >= WORLD_SITES)
        return &unknown;
    const struct site *found = &sites_of(world, rank)[site];
    return atomic_load(&found->used) == 2 ? found : &unknown;
}

struct words launch_describe_word(const struct world *world, int rank, uint32_t now, uint32_t last)
{
    uint32_t word = now ? now : last;
    if (!word || word >> 16 >= CALL_COUNT)
        return words_of("its own code");
    const struct site *site = world_site_at(world, rank, word & 0xffff);
    const char *before = now ? "" : "its own code, after ";
    const char *call = call_name((enum call)(word >> 16));
    if (site->line == 0) /* the one that stands for all further ones */
        return words_of("%s%s (%s)", before, call, site->file);
    return words_of("%s%s (%s:%d)", before, call, site->file, site->line);
}
