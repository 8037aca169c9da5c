/*
 * buckets.h: backward from the last layer to the first, and an all_reduce of every bucket of gradients as soon as it is full.
 *
 *     default stream   [ backward 4, 3 ][ backward 2 ][ backward 1 ][ backward 0 ]             | step
 *     communication                     [ bucket 0  ]  [ bucket 1  ]  [ bucket 2 ]  [ bucket 3 ]
 */
#ifndef BUCKETS_H
#define BUCKETS_H

#define _POSIX_C_SOURCE 200809L
#include "train.h"

/* A deeper model, whose layers take long enough to be seen. Their weights are 64 x 256, three times 256 x 256, 256 x 10. */
enum { DEEP = 5, WIDE = 256, ROUNDS = 3, MOST_BUCKETS = 1024, ALL = 1 << 30 };
static const int deep[DEEP + 1] = { PIXELS, WIDE, WIDE, WIDE, WIDE, CLASSES };

/* Gradients that travel together: a part of the flat tensor. */
struct bucket {
    tensor *part;
    dist_work *summing;
};

/* Start a bucket's sum, and let backward go on. */
static inline struct bucket bucket_start(struct model *m, int64_t begin, int64_t end)
{
    struct bucket bucket = { .part = tensor_slice(m->gradients, begin, end) };
    bucket.summing = dist_all_reduce(bucket.part, .async_op = true);
    return bucket;
}

/* The last layer's gradients are there first, so buckets are filled from the end of the flat tensor. A bucket has `full`
 * numbers, whatever layers they belong to; the last one has the rest. Returns how many there were. */
static inline int backward_in_buckets(struct model *m, tensor *dy, int64_t full, struct bucket *buckets)
{
    int64_t end = m->begin[m->parameters];
    int count = 0;
    for (int l = m->layers - 1; l >= 0; l--) {
        int64_t ready = m->begin[2 * l]; /* from here on, once this layer is done */
        dist_span("backward %d", l)
            dy = layer_backward(m, l, dy);
        while (end - ready >= full || (l == 0 && end > 0)) {
            int64_t begin = end > full ? end - full : 0;
            buckets[count++] = bucket_start(m, begin, end);
            end = begin;
        }
    }
    return count;
}

static inline void buckets_wait(struct bucket *buckets, int count)
{
    for (int i = 0; i < count; i++) {
        dist_wait(buckets[i].summing);
        tensor_free(buckets[i].part);
    }
}

/* A whole step on this rank's pictures x. Returns how many buckets there were. */
static inline int step_in_buckets(struct model *m, const tensor *x, const tensor *target, int64_t full)
{
    struct bucket buckets[MOST_BUCKETS];
    dist_span("forward")
        model_forward(m, tensor_clone(x));
    int count = backward_in_buckets(m, loss_backward(m, target, BATCH), full, buckets);
    buckets_wait(buckets, count);
    dist_span("update")
        model_step(m);
    model_forget(m);
    return count;
}

/* ---- a run ------------------------------------------------------------------------------------ */

/* Seconds of a step on the GPU's clock, in the best of some rounds. *count: how many buckets it had. */
static inline double time_of_step(struct model *m, const tensor *x, const tensor *target, int64_t full,
                                  int *count)
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        dist_barrier();
        dist_event *begin = dist_event_record();
        dist_span("step %d", i + 1)
            *count = step_in_buckets(m, x, target, full);
        dist_event *end = dist_event_record();
        best = fmin(best, dist_event_elapsed(begin, end));
        dist_event_free(end);
        dist_event_free(begin);
    }
    return best;
}

/* All that dist_spawn's function does. Every rank takes a whole batch of its own. */
static inline void run_buckets(int64_t full, int rank, int n)
{
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    struct digits *d = digits_read();
    struct part mine = part_of_batch(rank % STEPS, 0, 1);
    tensor *x = pictures(d, mine), *target = targets(d, mine);
    struct model m = model_new(DEEP, deep, 1);
    int count = 0;
    double seconds = time_of_step(&m, x, target, full, &count);
    if (rank == 0)
        printf("%d bucket%s on %d rank%s: %.1f ms a step\n", count, count > 1 ? "s" : "", n, n > 1 ? "s" : "",
               1e3 * seconds);
    model_free(&m);
    tensor_free(target);
    tensor_free(x);
    free(d);
    dist_destroy_process_group();
}

#endif
