/* queue.h: ops in a line, by `next`: the order in which a backend takes them. */
#ifndef COMMON_QUEUE_H
#define COMMON_QUEUE_H

#include "../../backend.h"

struct op_queue {
    struct dist_work *first, **end;
};

static inline void queue_reset(struct op_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

static inline void queue_add(struct op_queue *queue, struct dist_work *op)
{
    op->next = NULL;
    *queue->end = op;
    queue->end = &op->next;
}

static inline struct dist_work *queue_take(struct op_queue *queue, struct dist_work **at)
{
    struct dist_work *op = *at;
    *at = op->next;
    if (!*at)
        queue->end = at;
    return op;
}

/* False: it is not in it. */
static inline bool queue_remove(struct op_queue *queue, const struct dist_work *op)
{
    struct dist_work **at = &queue->first;
    while (*at && *at != op)
        at = &(*at)->next;
    return *at && queue_take(queue, at);
}

#endif
