/* call.h: a number for every call that a report can name. */
#ifndef CALL_H
#define CALL_H

#include <stdbool.h>

/* With the names that reports have for them (CALL_TENSOR: a tensor_ call; its own name is in the report). */
#define CALLS(CALL) \
    CALL(CALL_NONE, "the program") \
    CALL(CALL_INIT, "dist_init_process_group") \
    CALL(CALL_DESTROY, "dist_destroy_process_group") \
    CALL(CALL_GET_RANK, "dist_get_rank") \
    CALL(CALL_GET_WORLD_SIZE, "dist_get_world_size") \
    CALL(CALL_NEW_GROUP, "dist_new_group") \
    CALL(CALL_GROUP_FREE, "dist_group_free") \
    CALL(CALL_SEND, "dist_send") \
    CALL(CALL_RECV, "dist_recv") \
    CALL(CALL_ISEND, "dist_isend") \
    CALL(CALL_IRECV, "dist_irecv") \
    CALL(CALL_BATCH, "dist_batch_isend_irecv") \
    CALL(CALL_WAIT, "dist_wait") \
    CALL(CALL_WAIT_ALL, "dist_wait_all") \
    CALL(CALL_WAIT_ANY, "dist_wait_any") \
    CALL(CALL_IS_COMPLETED, "dist_is_completed") \
    CALL(CALL_BROADCAST, "dist_broadcast") \
    CALL(CALL_REDUCE, "dist_reduce") \
    CALL(CALL_ALL_REDUCE, "dist_all_reduce") \
    CALL(CALL_SCATTER, "dist_scatter") \
    CALL(CALL_GATHER, "dist_gather") \
    CALL(CALL_ALL_GATHER, "dist_all_gather") \
    CALL(CALL_REDUCE_SCATTER, "dist_reduce_scatter") \
    CALL(CALL_ALL_TO_ALL, "dist_all_to_all") \
    CALL(CALL_BARRIER, "dist_barrier") \
    CALL(CALL_MONITORED_BARRIER, "dist_monitored_barrier") \
    CALL(CALL_TENSOR, "a tensor call") \
    CALL(CALL_SPAWN, "dist_spawn")

#define CALL_NUMBER(number, name) number,
enum call { CALLS(CALL_NUMBER) CALL_COUNT };

/* "dist_send" and so on; in error.c. */
const char *call_name(enum call call);

static inline bool call_has_root(enum call call)
{
    return call == CALL_BROADCAST || call == CALL_REDUCE || call == CALL_SCATTER || call == CALL_GATHER;
}
static inline bool call_reduces(enum call call)
{
    return call == CALL_REDUCE || call == CALL_ALL_REDUCE || call == CALL_REDUCE_SCATTER;
}

#endif
