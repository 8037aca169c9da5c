/*
 * order.h: DIST_CHECK=1: does something order the streams that touch the same data?
 *
 *   order.c         who has touched what, and what each stream knows of the others
 *   order_words.c   the report
 *
 * Each stream counts its touches. For each stream is also known up to which count of every OTHER stream its next work comes
 * later for certain: because it followed an event, or an operation, or the host waited (a vector clock). Two touches of the
 * same bytes, one of them writing, are in order only if the later one's stream knows of the earlier one. This is decided
 * when the calls are made, so it does not depend on how quick the streams happen to be.
 *
 * An operation is in no stream of its own. It comes behind the work that stood in the current stream when it was posted,
 * and before that of the stream that waits for it: there it counts as a touch. In between diagnose/guard.c watches its
 * tensors. That the communication stream starts its operations one after the other orders nothing here: a program that
 * relied on it would break with a backend that has more than one.
 */
#ifndef STREAMS_ORDER_H
#define STREAMS_ORDER_H

#include "../checked.h"
#include "gpu.h"

/* Bytes that were touched by one call in one stream. */
struct touched {
    struct stretch bytes; /* first; its number says which touch came later, of any stream */
    enum touch touch;     /* what it does: read, write, send or receive */
    int stream;
    uint64_t count;    /* which of the stream's touches */
    const char *call;  /* the call that made it, a string that stays, */
    struct dist_at at; /* where; */
    bool waited;       /* it was started there, and stands in the stream that waited for it */
    uint32_t pardoned; /* a bit for each stream whose later touch was told */
};

/* Begin, where DIST_CHECK=1 asks for it. All that follow may be called without it, too. */
void order_open(struct gpu *gpu);

/* A call on the current stream touches these bytes. False: nothing orders it with an earlier touch; reported. */
bool order_touch(struct gpu *gpu, const char *call, struct dist_at at, const void *data, size_t bytes,
                 bool writes);

/* The same for the tensors of an op that is about to start behind the current stream's work. */
bool order_post(struct gpu *gpu, const struct dist_work *op);

/* An op was posted (started: the call lets nobody wait); the current stream waits for it, so it has touched the op's tensors;
 * the host knows that it is over (NULL: that all are). */
void order_begin(struct gpu *gpu, struct dist_work *op, bool started);
void order_follow(struct gpu *gpu, struct dist_work *op);
void order_over(struct gpu *gpu, struct dist_work *op);

/* An event takes the clock of the stream in which it is recorded; a stream, or the host (gpu->clock), learns from what it has waited for. */
void order_learn(const struct gpu *gpu, uint64_t *known, const uint64_t *more);

void order_forget(struct gpu *gpu, const struct storage *storage); /* its memory goes to others */

/* order_words.c: report that `now` comes too early for `before`. Returns only where a handler is installed. */
void order_tell(const struct gpu *gpu, const struct touched *before, const struct touched *now);

#endif
