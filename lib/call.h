/* call.h: a number for every call that a report can name. */
#ifndef CALL_H
#define CALL_H

#include <stdbool.h>

enum call {
    CALL_NONE,
    CALL_INIT,
    CALL_DESTROY,
    CALL_GET_RANK,
    CALL_GET_WORLD_SIZE,
    CALL_NEW_GROUP,
    CALL_GROUP_FREE,
    CALL_SEND,
    CALL_RECV,
    CALL_ISEND,
    CALL_IRECV,
    CALL_BATCH,
    CALL_WAIT,
    CALL_WAIT_ALL,
    CALL_WAIT_ANY,
    CALL_IS_COMPLETED,
    CALL_BROADCAST,
    CALL_REDUCE,
    CALL_ALL_REDUCE,
    CALL_SCATTER,
    CALL_GATHER,
    CALL_ALL_GATHER,
    CALL_REDUCE_SCATTER,
    CALL_ALL_TO_ALL,
    CALL_BARRIER,
    CALL_MONITORED_BARRIER,
    CALL_TENSOR, /* a tensor_ call; its own name is in the report */
    CALL_SPAWN,
    CALL_COUNT
};

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
