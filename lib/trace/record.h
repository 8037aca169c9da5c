/* record.h: what a rank remembers of its run, as it lies in the world's memory. */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "../backend.h"

#define TRACE_MAGIC 0x74726163u /* "trac" */
#define TRACE_VALUES 64         /* of tensors up to this many elements the values are kept, too */
#define TRACE_NONE UINT32_MAX   /* no event */
#define TRACE_DEPTH 32          /* spans inside spans */

enum event_kind {
    EVENT_ABSENT,  /* not written yet, or its rank was killed over it */
    EVENT_JOB,     /* init, destroy, new_group */
    EVENT_MESSAGE, /* a send or a receive, blocking or started */
    EVENT_COLLECTIVE,
    EVENT_WAIT,
    EVENT_SPAN,  /* what the program itself marked */
    EVENT_STREAM /* what a stream of a GPU was busy with: `peer` is its number, -1: communication */
};

/* One event: 64 bytes. Times are CLOCK_MONOTONIC in nanoseconds. */
struct event {
    _Atomic uint8_t kind; /* enum event_kind; written when the rest is there */
    uint8_t call;         /* enum call */
    uint8_t type;         /* enum dist_type */
    uint8_t op;           /* enum dist_op */
    uint16_t group;       /* the group's id */
    uint8_t thread;       /* which of the rank's threads, from 0 */
    uint8_t status;       /* enum dist_error */
    uint64_t begin;
    _Atomic uint64_t end; /* 0: it had not ended when the rank did */
    int32_t peer;         /* as in dist_work: what was asked for */
    int32_t from;         /* receives, once known: the rank that sent; else -1 */
    int32_t tag;          /* collectives with splits: where these are among the notes */
    uint32_t site;        /* call site of this rank */
    uint32_t other;       /* waits: the event that started what is waited for; started ones: the wait */
    uint32_t values; /* where its values are among the notes (struct values); spans: the name; 0: nowhere */
    int64_t in,
        out; /* elements read and written; p2p: one of them is 0; streams: `in` is when it was asked for */
};
_Static_assert(sizeof(struct event) == 64, "an event is one cache line");

/* The elements of a small operation, as doubles: `in` before it, then `out` after it. */
struct values {
    uint32_t in, out; /* how many */
    double value[];
};

/* A group that this rank knows: its members in group rank order. The event that made it has it in `values`. */
struct group_note {
    int32_t number, size; /* its id may be used again, its number is not */
    int32_t ranks[];
};

/* A rank's part of the world's trace memory: this, the events, the notes. Offsets count from here. */
struct record {
    _Atomic uint32_t magic; /* TRACE_MAGIC: the rank is being traced */
    _Atomic uint32_t
        count; /* places taken by threads, some at a time; those past `capacity` were lost, one by one */
    _Atomic uint32_t notes;   /* bytes of notes handed out; may run past notes_room */
    uint32_t world;           /* its group_note; 0: none */
    _Atomic uint32_t threads; /* threads that have recorded something */
    uint32_t capacity;        /* how many events fit */
    uint32_t notes_offset, notes_room;
    uint64_t opened;  /* no other record of its process has this number; one may have lain at its address */
    char backend[16]; /* what is wrapped */
    alignas(WORLD_LINE) struct event events[];
};

struct record *record_of(const struct world *world, int rank);

/* How many places were taken: some may be EVENT_ABSENT. And the next event that is there (NULL: the first); NULL: no more. */
uint32_t record_kept(const struct record *record);
struct event *record_next(const struct record *record, const struct event *after);

/* Prepare the calling rank's record. False: this world has no room for one. */
bool record_open(struct record *record, uint64_t bytes, int ranks, const char *backend);

/* Begin an event, filled in from `as` (begin 0: now), and end it. TRACE_NONE: lost. And begin one of an op, which then has it
 * (op->traced). */
uint32_t record_begin(struct record *record, struct event as);
void record_end(struct record *record, uint32_t event);
void record_begin_op(struct record *record, enum event_kind kind, enum call call, struct dist_work *op);

/* Keep a name, or find that it was kept before. */
uint32_t record_name(struct record *record, const char *name);

/* Keep the members of a group, and of an op that has its event what else is to be told. */
uint32_t record_group(struct record *record, const struct dist_group *group);
void record_splits(struct record *record, const struct dist_work *op);
void record_before(struct record *record, const struct dist_work *op);
void record_after(struct record *record, const struct dist_work *op);

/* A note. */
static inline void *record_at(const struct record *record, uint32_t note)
{
    return (char *)record + note;
}

#endif
