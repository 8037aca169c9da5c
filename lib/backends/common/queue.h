/* queue.h: ops in a line, by `next` and `before`: the order in which a backend takes them. All zero: nobody stands in it. */
#ifndef COMMON_QUEUE_H
#define COMMON_QUEUE_H

#include "../../backend.h"

struct op_queue {
    struct dist_work *first, *last;
};

/* Those of `more` stand behind all others. */
static inline void queue_append(struct op_queue *queue, const struct op_queue *more)
{
    more->first->before = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = more->first;
    queue->last = more->last;
}

static inline void queue_add(struct op_queue *queue, struct dist_work *op)
{
    op->next = NULL;
    queue_append(queue, &(struct op_queue){ op, op });
}

static inline void queue_add_first(struct op_queue *queue, struct dist_work *op)
{
    op->before = NULL;
    op->next = queue->first;
    *(op->next ? &op->next->before : &queue->last) = op;
    queue->first = op;
}

static inline void queue_remove(struct op_queue *queue, struct dist_work *op)
{
    *(op->before ? &op->before->next : &queue->first) = op->next;
    *(op->next ? &op->next->before : &queue->last) = op->before;
    op->next = op->before = NULL;
}

/* Where a loop over the line stands: behind it stands the next one then. */
static inline struct dist_work *queue_take(struct op_queue *queue, struct dist_work **at)
{
    struct dist_work *op = *at;
    queue_remove(queue, op);
    return op;
}

#endif
