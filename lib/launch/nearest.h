/*
 * nearest.h: which of some words somebody meant who wrote another. Needs nothing of the library, so that the drawing
 * programs may use it, too.
 *
 *     struct nearest nearest = nearest_to(text, strlen(text));
 *     nearest_try(&nearest, "ring", 4);
 *     nearest_try(&nearest, "tree", 4);
 *     if (nearest.found) ...
 */
#ifndef LAUNCH_NEAREST_H
#define LAUNCH_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *text; /* what was written, */
    size_t length;    /* in so many bytes */
    size_t
        distance; /* letters to change, add, leave out, or swap with their neighbour, until it is `found` */
    const char *found; /* NULL: nothing tried so far is near; of several that are as near, the first */
    size_t found_length;
};

/* Small and large letters count as the same. */
struct nearest nearest_to(const char *text, size_t length);
void nearest_try(struct nearest *nearest, const char *word, size_t length);

#endif
