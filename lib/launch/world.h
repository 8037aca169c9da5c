/*
 * world.h: the one block of memory that all ranks of a job, and its watcher, map.
 *
 *   +--------+-----------+-----------+------------+---------------+----------+-----------+-----------+-----
 *   | header | a slot of | notes of  | call sites | the backend's |bootstrap | arena of  | arena of  | ...
 *   |        | each rank | each rank | of each    | state         | of each  | rank 0    | rank 1    |
 *   +--------+-----------+-----------+------------+---------------+----------+-----------+-----------+-----
 *
 * Over several machines (nodes.h) each has a world of its own, with room for all ranks. Only the bootstrap memory is the same on all: the
 * watchers see to that.
 *
 * It is a memfd (or, where that is refused, a file of /dev/shm without a name): so nothing can be left behind, whatever dies. It is as large
 * as address space allows and costs only the pages that are touched. Ranks may map it at different addresses: nothing inside is a pointer.
 *
 * A page that a rank touches counts as that rank's, and with 256 ranks one page for each peer is a megabyte. So what peers
 * look at stands close together, in the slots. What is read only when something is wrong stands behind: notes and sites.
 */
#ifndef LAUNCH_WORLD_H
#define LAUNCH_WORLD_H

#include "alike.h"
#include "eventcount.h"
#include "text.h"
#include "../dist_base.h"

#include <stdalign.h>
#include <stddef.h>

#define WORLD_MAX_RANKS 1024
#define WORLD_SITES 1024 /* call sites that a rank can name; later ones share the last */
#define WORLD_LINE 64    /* bytes that travel between cores as one */

/* Where a rank is in its life. Each step is written by the rank itself, GONE by whoever saw it end. */
enum rank_state {
    RANK_ABSENT,   /* not started, or not attached yet */
    RANK_ATTACHED, /* has mapped the world */
    RANK_JOINING,  /* it is in dist_init_process_group, where the backend may wait for the others */
    RANK_JOINED,   /* its backend is open */
    RANK_LEFT,     /* it has begun to leave, and does nothing any more: launch_has_left */
    RANK_GONE      /* its process has ended */
};

/* How a rank came to its end, as the watcher tells the others. */
enum rank_end { END_NONE, END_EXIT, END_SIGNAL, END_ERROR };

/* A call site, copied once so that others can name it after the rank is dead. */
#define SITE_CHARS 55
struct site {
    char file[SITE_CHARS + 1]; /* without directories; long names keep their end */
    int32_t line;
    _Atomic int32_t used; /* 0: free; 1: being written; 2: may be read */
};

/* What everybody may know of one rank. Written by that rank only, unless said otherwise. */
struct rank_slot {
    alignas(WORLD_LINE) _Atomic uint32_t state; /* enum rank_state */
    _Atomic int32_t pid;                        /* as it sees itself; -1: it has ended, says its watcher */
    _Atomic uint32_t held; /* 1: it holds the lock by which its peers know that it is alive (peers.c) */
    _Atomic uint32_t call; /* the dist call it is in: call id << 16 | site; 0: in the program's own code */
    _Atomic uint32_t last_call; /* the last one that it entered */
    int32_t node;               /* the machine that it is on: written before anybody reads it */
    /* Notified by who has news for its progress thread. Here: it writes that in many calls, and the next line is read with each message. */
    struct eventcount progress;
    struct alike alike;                               /* from RANK_JOINING on */
    alignas(WORLD_LINE) struct eventcount eventcount; /* by who has news for the rank itself */
    struct sleep_note sleep;                          /* of the thread that was the rank's first to call */
};
_Static_assert(sizeof(struct rank_slot) == 2 * WORLD_LINE, "32 slots share a page");

/* How the job failed, as one author saw it: a rank, or the watcher. Only the author writes it, once, and nobody reads it before
 * `failed` names the author: so whoever dies half-way through leaves a record that nobody reads, and nobody waits for. */
struct world_failure {
    _Atomic uint32_t begun; /* one of the author's threads has it */
    int32_t rank;
    int32_t end;     /* enum rank_end */
    int32_t code;    /* exit status, signal or enum dist_error */
    char cause[200]; /* END_ERROR: one sentence, where the finder left one */
};

/* What else a rank writes down, for the watcher and for reports. Written by that rank only. */
struct rank_notes {
    alignas(WORLD_LINE) struct sleep_note progress_sleep; /* of its progress thread */
    struct world_failure failure;                         /* as this rank saw it */
    struct sleep_note streams[NOTE_STREAMS];              /* of the threads of its GPU */
    _Atomic uint32_t engines; /* 1: it has opened an MPI, or a GPU, which have threads of their own */
    _Atomic uint32_t several; /* 1: more than one thread of the program has called */
    struct refusal_note refusals[NOTE_REFUSALS]; /* written before the sender is told */
    char host_call[32];       /* while it waits for its GPU: the call in which it does, as text; else ""; */
    uint32_t host_site;       /* and where that is */
    _Atomic uint32_t sent;    /* over several machines: messages to it from ranks of this one; */
    _Atomic uint32_t heard;   /* and those that it has heard, when it went to sleep for the last time */
    _Atomic uint32_t leaving; /* 1: in dist_destroy_process_group, it only ends what it can */
    _Atomic int64_t polls;    /* it has asked in vain for seconds, and did so then (ns); 0: it does not */
    _Atomic uint32_t tidying; /* threads of the library that only tidy up: nobody waits for what they do */
    _Atomic uint64_t log;     /* where its list of calls is (diagnose/log.h); 0: it keeps none */
    _Atomic uint32_t open_count;   /* valid while the slot's `sleep` says asleep, as are the operations: */
    struct note_op open[NOTE_OPS]; /* the first is the one that the rank waits for */
    struct freed_note freed;
    struct thread_notes threads; /* last: most of it is never touched */
};

/* Tell a rank that there is news. The caller has written the news with seq_cst before. */
static inline void rank_notify(struct rank_slot *slot)
{
    eventcount_notify(&slot->eventcount);
    eventcount_notify(&slot->progress);
}

/* The numbers of groups, which travel with messages in 16 bits: dist_groups.c. */
#define WORLD_GROUPS 65536
struct group_ids {
    _Atomic uint16_t holders[WORLD_GROUPS]; /* members that have not freed the group with this number */
    _Atomic uint16_t chosen[2];             /* by rank 0, for the group that is being made; used in turn */
};

struct world_header {
    uint32_t magic;
    int32_t size;            /* how many ranks */
    uint64_t bytes;          /* of the whole block */
    uint64_t notes_offset;   /* struct rank_notes[size] */
    uint64_t sites_offset;   /* struct site[size][WORLD_SITES] */
    uint64_t backend_offset; /* the backend's memory: zeroed pages */
    uint64_t backend_bytes;
    uint64_t bootstrap_offset; /* struct world_bootstrap[size] (spread.h) */
    uint64_t arena_offset;     /* rank r's arena starts at arena_offset + r * arena_bytes */
    uint64_t arena_bytes;
    uint64_t trace_offset; /* rank r's record of what it did (lib/trace): like the arenas, if asked for */
    uint64_t trace_bytes;
    int32_t nodes, node;         /* how many machines (0 or 1: this one), and which this is; */
    char address[64];            /* and its address, as the other machines see it */
    _Atomic uint32_t permission; /* enum permission (spread.h) */
    _Atomic uint32_t leavers;    /* ranks that have left the job */
    struct group_ids group_ids;
    _Atomic uint32_t given_up; /* 1: all others are leaving, and nothing that is open can come to its end */
    /* 0: no; else whose record holds, and who tells the user of it (failure.c): set in one step. From then on every call of every rank
     * ends with DIST_ERR_PEER_LOST, or with the number of the record's cause. */
    _Atomic uint32_t failed;
    _Atomic uint32_t one_process; /* 1: the ranks are threads of one process, but for its first thread */
    _Atomic uint32_t watched;     /* 1: a launcher of ours holds the lock behind those of the ranks */
    struct world_failure failure; /* as the watcher saw it */
    struct rank_slot slots[];
};

/* This process's mapping of a world. */
struct world {
    struct world_header *header; /* the program's view of the block; tensors have their addresses here */
    char *base; /* where the library works: the same view, or a second one that is never protected */
    int fd;
    int author; /* whose record of a failure is ours to write: a rank; the watcher: the number of ranks */
};

/* No part of a world shares a page with the next, whatever the kernel's pages are (ARM's: up to 64 KiB). */
#define WORLD_PAGE ((uint64_t)64 << 10)
static inline uint64_t world_pages(uint64_t bytes)
{
    return (bytes + WORLD_PAGE - 1) / WORLD_PAGE * WORLD_PAGE;
}

/* How large the backend's memory is: what every pair of ranks shares, and what every rank has. */
static inline uint64_t world_backend_bytes(int size)
{
    uint64_t pair_bytes = 64 + 4096 + 2048, rank_bytes = (1 << 20) + (64 << 10) + 16384;
    return world_pages(pair_bytes * (uint64_t)size * (uint64_t)size + rank_bytes * (uint64_t)size);
}

uint32_t world_layout(void); /* a number of the one that this library was built with */
/* Make a world for `size` ranks, or map the one behind `fd`. Status: 0, DIST_ERR_SYSTEM (errno tells why). */
int world_create(struct world *world, int size);
int world_map(struct world *world, int fd);
void world_unmap(struct world *world);
bool world_is_here(void); /* does this process map one already? */

/* Map the block a second time, for the library's own use (checked mode protects pages of the first view). False: errno. */
bool world_map_twice(struct world *world);

/* Offsets and pointers; both views count. world_offset gives UINT64_MAX for an address that lies outside. */
static inline void *world_at(const struct world *world, uint64_t offset)
{
    return world->base + offset;
}
static inline uint64_t world_offset(const struct world *world, const void *address)
{
    uintptr_t header = (uintptr_t)world->header, base = (uintptr_t)world->base, here = (uintptr_t)address;
    uint64_t bytes = world->header->bytes;
    if (here - header < bytes)
        return here - header;
    return here - base < bytes ? here - base : UINT64_MAX;
}

static inline struct rank_notes *world_notes(const struct world *world, int rank)
{
    return (struct rank_notes *)world_at(world, world->header->notes_offset) + rank;
}

/* The same memory in the view that is never closed; addresses outside the world stay as they are. */
static inline void *world_open_view(const struct world *world, const void *address)
{
    uint64_t offset = world_offset(world, address);
    return offset == UINT64_MAX ? (void *)(uintptr_t)address : world_at(world, offset);
}

/* Declare the job failed, unless someone has already (false), and wake everybody. `cause`: a sentence, or "". */
bool world_fail(struct world *world, int rank, enum rank_end end, int code, const char *cause);

/* The same by an error, and take it on to tell the user, in one step: so what is told is what the job fails of. True: tell, then say
 * that it is done, and wake everybody. Nobody is woken here: a launcher that is not ours may end us as soon as a rank has ended. */
bool world_fail_and_tell(struct world *world, int rank, int code, const char *cause);
void world_told(const struct world *world);

/* A thread says so before others can see that the job has failed of it; and, if it then goes on, when all is written. Who ends a process
 * for such a failure lets its other threads tell, or end, first; a fork may have brought the count without the thread, so not for ever. */
void world_tell_begins(void);
void world_tell_over(void);
void world_let_tell(void);
void world_wake(struct world *world);
static inline bool world_failed(const struct world *world)
{
    return atomic_load_explicit(&world->header->failed, memory_order_acquire) != 0;
}

/* The record that holds; an empty one while the job has not failed. */
const struct world_failure *world_failure(const struct world *world);

/* Who tells the user of the failure (-1: nobody yet), and has it been told? The watcher tells where nobody has. Where there is none, a
 * rank takes it over from nobody, or from one that died before it was through. False: it is somebody else's. */
int world_teller(const struct world *world, bool *told);
bool world_tell_instead(struct world *world, int teller);

/* Is there nothing left to wait for, for a rank that is leaving? */
static inline bool world_over(const struct world *world)
{
    return world_failed(world) || atomic_load(&world->header->given_up);
}

/* All that are still there are leaving, and cannot move: let them give up what is open. */
void world_give_up(struct world *world);

/* For ranks that no watcher of ours looks after: call it about every 100 ms while asleep. Each call looks at some of `rank`'s peers in
 * turn; one whose process ended between attaching and leaving makes the job fail. Returns world_failed(). */
bool world_check_peers(struct world *world, int rank);

/* The number of a call site of `rank` (its own calls only), and the site behind the number. */
uint32_t world_site(struct world *world, int rank, struct dist_at at);
const struct site *world_site_at(const struct world *world, int rank, uint32_t site);

#endif
