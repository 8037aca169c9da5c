/*
 * handles.h: what a program holds of a work, a tensor or a group. It is open until it is given back, and then stands in a queue,
 * whose first one is used again only once QUARANTINE others stand behind it: within that distance a second use is recognised.
 */
#ifndef HANDLES_H
#define HANDLES_H

#include <stdbool.h>
#include <stddef.h>

#define QUARANTINE 256

struct handle {
    struct handle *older, *newer; /* open ones; in the queue, newer is the next */
};

struct handles {
    struct handle *newest;       /* of the open ones */
    struct handle *first, *last; /* of the queue */
    int waiting;                 /* in the queue */
};

/* The type that has this as its member `handle`. */
#define HANDLE_OF(type, one) ((type *)(void *)((char *)(one)-offsetof(type, handle)))

static inline void handle_open(struct handles *all, struct handle *one)
{
    *one = (struct handle){ .older = all->newest };
    if (one->older)
        one->older->newer = one;
    all->newest = one;
}

static inline void handle_close(struct handles *all, struct handle *one)
{
    if (one->older)
        one->older->newer = one->newer;
    if (one->newer)
        one->newer->older = one->older;
    else
        all->newest = one->older;
}

static inline void handle_queue(struct handles *all, struct handle *one)
{
    one->newer = NULL;
    if (all->waiting++)
        all->last->newer = one;
    else
        all->first = one;
    all->last = one;
}

/* The first of the queue, taken out; NULL: it has not waited long enough. `now`: however long that is. */
static inline struct handle *handle_again(struct handles *all, bool now)
{
    struct handle *one = all->first;
    if (all->waiting <= (now ? 0 : QUARANTINE))
        return NULL;
    all->first = one->newer;
    all->waiting--;
    return one;
}

#endif
