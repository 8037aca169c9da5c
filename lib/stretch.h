/*
 * stretch.h: stretches of memory, and which of them lie where: a treap, ordered by where they begin, in which each knows how far
 * those below it reach. However many there are, adding, removing and finding take some steps.
 */
#ifndef DIST_STRETCH_H
#define DIST_STRETCH_H

#include <stdint.h>

struct stretch {
    uintptr_t begin, end; /* not empty */
    uint64_t
        number; /* none that lies over it has the same; of those that begin together the highest comes first */
    uintptr_t reach; /* the farthest end of it and those below */
    struct stretch *left, *right;
};

void stretch_add(struct stretch **root, struct stretch *stretch);

/* The one with the same begin and number is taken out. NULL: there is none. */
struct stretch *stretch_remove(struct stretch **root, const struct stretch *like);

/* The first that ends after `address`, behind `after` (NULL: of all). NULL: there is none. */
struct stretch *stretch_find(struct stretch *root, const struct stretch *after, uintptr_t address);

#endif
