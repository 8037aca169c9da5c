/*
 * order.h: DIST_CHECK=1: does something order the streams that touch the same data?
 *
 * Each stream counts what was put into it. For each stream is also known up to which count of every OTHER stream its next
 * work comes later for certain: because it followed an event, or the host waited (a vector clock). Two touches of the same
 * bytes, one of them writing, are in order only if the later one's stream knows of the earlier one. This is decided when
 * the calls are made, so it does not depend on how quick the streams happen to be.
 *
 * An operation that was started and not waited for is in no stream yet; diagnose/guard.c watches its tensors until the wait,
 * which puts it into the stream that waits.
 */
#ifndef STREAMS_ORDER_H
#define STREAMS_ORDER_H

#include "gpu.h"

/* Begin, where DIST_CHECK=1 asks for it. */
void order_open(struct gpu *gpu);

/* A call on `stream` touches these bytes. False: nothing orders it with an earlier touch; reported. */
bool order_touch(struct gpu *gpu, const char *call, struct dist_at at, const void *data, size_t bytes,
                 bool writes);

/* The same for the tensors of an op that is about to start behind the current stream's work. */
bool order_post(struct gpu *gpu, const struct dist_work *op);

/* The current stream waits for an op: it has touched the op's tensors. */
void order_follow(struct gpu *gpu, const struct dist_work *op);

void order_record(struct gpu *gpu, struct dist_event *event);     /* of the current stream */
void order_wait(struct gpu *gpu, const struct dist_event *event); /* by the current stream */
void order_host_waited(struct gpu *gpu, const struct dist_stream *stream);
void order_forget(struct gpu *gpu, const struct storage *storage); /* its memory goes to others */

#endif
