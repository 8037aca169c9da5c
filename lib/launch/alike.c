/* alike.c: see alike.h. */
#define _GNU_SOURCE
#include "alike.h"
#include "settings.h"
#include "world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOKS 1000 /* ms: a backend that is not there fails at once, and its rank may take another one */

struct alike alike_of(const char *backend, bool flat)
{
    struct alike own = { .backend = "" };
    const char *algorithm = setting_text("DIST_ALGORITHM");
    snprintf(own.backend, sizeof own.backend, "%s", backend);
    snprintf(own.algorithm, sizeof own.algorithm, "%s", algorithm ? algorithm : "");
    strcpy(own.flat, flat ? "1" : "");
    return own;
}

bool alike_differ(const struct alike *a, const char *whose_a, const struct alike *b, const char *whose_b,
                  struct why *why)
{
    static const char *const names[] = { "BACKEND", "DIST_ALGORITHM", "DIST_FLAT", "DIST_TRACE" };
    const char *of_a[] = { a->backend, a->algorithm, a->flat, a->trace };
    const char *of_b[] = { b->backend, b->algorithm, b->flat, b->trace };
    const int count = sizeof names / sizeof names[0];
    int i = 0;
    while (i < count && strcmp(of_a[i], of_b[i]) == 0)
        i++;
    if (i < count)
        why_say(why, "%s is \"%s\" for %s but \"%s\" for %s; give all the same", names[i], of_a[i], whose_a,
                of_b[i], whose_b);
    return i < count;
}

static bool alike_joins_otherwise(const struct rank_slot *other, const struct rank_slot *own)
{
    uint32_t state = atomic_load(&other->state);
    return (state == RANK_JOINING || state == RANK_JOINED) &&
           memcmp(&other->alike, &own->alike, sizeof own->alike) != 0;
}

int alike_check(const struct world *world, int rank, struct why *why)
{
    const struct rank_slot *slots = world->header->slots;
    for (int other = 0; other < world->header->size; other++) {
        for (int look = 0; look < LOOKS && alike_joins_otherwise(&slots[other], &slots[rank]); look++)
            usleep(1000);
        if (!alike_joins_otherwise(&slots[other], &slots[rank]))
            continue;
        if (alike_differ(&slots[rank].alike, words_of("rank %d", rank).text, &slots[other].alike,
                         words_of("rank %d", other).text, why))
            return DIST_ERR_ENVIRONMENT;
    }
    return DIST_OK;
}
