/*
 * stage.h: one rank of a job that is only thought, on a simulated GPU, in which the backend's functions can be called directly.
 *
 *     struct stage *stage = stage_open(1, 4, &(struct double_script){ 0 });     rank 1 of 4
 *     struct dist_work *op = stage_op(stage, CALL_SEND, ...);
 *     backend_nccl.send(stage->room, op);
 *
 * An op is what the library would hand to the backend: with an event behind the stream's work, and a gate.
 */
#ifndef NCCL_STAGE_H
#define NCCL_STAGE_H

#include "double.h"
#include "../../../lib/backend.h"
#include "../../../lib/streams/gpu.h"

struct stage {
    struct launch_self self;
    struct gpu gpu;
    struct dist_group world;
    int groups;  /* made so far; their numbers are the same on all ranks */
    void *state; /* NULL: open has failed, */
    int status;  /* with this */
    struct why why;
    struct stream *stream; /* the program's */
};

/* Open the backend. Whether that went well is in state and status. With &script the double goes on with what it plays: then
 * several threads can each open one, as ranks on several machines. */
struct stage *stage_open(int rank, int size, const struct double_script *script);
void stage_close(struct stage *stage);

/* An op with `count` elements on the GPU, both as input and output; what else it needs is the caller's to fill in. */
struct dist_work *stage_op(struct stage *stage, enum call call, int64_t count);
struct dist_work *stage_message(struct stage *stage, bool sends, int peer, int64_t count);

/* A group, made by the backend. */
struct dist_group *stage_group(struct stage *stage, const int *ranks, int count);

/* Let the backend look until the op is over; false: not within `seconds`. */
bool stage_await(struct stage *stage, struct dist_work *op, double seconds);

#endif
