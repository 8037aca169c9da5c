/*
 * log.h: what each rank has called, while messages are buffered (DIST_BUFFERING=eager:BYTES), or DIST_CHECK=1.
 *
 * Buffering hides a deadlock as long as messages are short, and luck one message that could have come for another. So the calls are
 * noted, and when the job has ended well they are gone through once more (replay.c): as if nothing were buffered, and to see
 * which order of messages was no more than luck (race.c).
 *
 * A rank writes its own list, in the world's memory, so that it outlives the rank. It holds the first calls: what a program
 * does a thousand times it does among these.
 */
#ifndef DIAGNOSE_LOG_H
#define DIAGNOSE_LOG_H

#include "../launch/launch.h"

#define LOG_ROOM 32000 /* 2 MiB */

struct log_entry {
    struct note_op op; /* what was started, as a report would name it; `seq`: which collective of its group */
    int32_t peer;      /* as in op; of a receive from anybody: who sent, once that is known */
    uint32_t waits_for; /* a wait: the entry that is waited for, from 1; 0: it is none */
    bool blocks;        /* the call returns when the operation is over */
};

struct call_log {
    _Atomic uint32_t count; /* LOG_ROOM or more: the later ones are not there */
    struct log_entry entries[LOG_ROOM];
};

/* This rank's list; NULL: it keeps none. */
static inline struct call_log *log_of(const struct world *world, int rank)
{
    uint64_t offset = atomic_load(&world_notes(world, rank)->log);
    return offset ? world_at(world, offset) : NULL;
}

/* How many entries are there. */
static inline uint32_t log_count(const struct call_log *log)
{
    uint32_t count = atomic_load(&log->count);
    return count < LOG_ROOM ? count : LOG_ROOM;
}

#endif
