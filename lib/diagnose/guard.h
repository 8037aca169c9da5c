/*
 * guard.h: which tensors are in flight, and who touches them all the same (DIST_CHECK=1).
 *
 *   guard.c   the ranges in flight, and the pages of the program's view that are closed for them, but for neighbours
 *   fault.c   somebody has touched such a page
 *   where.c   on which line of the program
 *   misuse.c  the report
 *
 * From the post of a message to its wait, a tensor that is being sent may be read but not written, and one that is
 * being received may not be touched. Calls of the library are checked when they are made. For plain C, through
 * tensor_data(), the pages of the tensor are closed; the library itself reaches the memory through a second
 * mapping, world.base. A page may hold innocent neighbours: touching those opens the page for that touch, without a word.
 *
 * Protection of memory belongs to the process, and so do the ranges in flight, also where ranks are threads.
 */
#ifndef DIAGNOSE_GUARD_H
#define DIAGNOSE_GUARD_H

#include "../call.h"
#include "../launch/launch.h"
#include "../stretch.h"

/* A piece of a tensor in flight: a range of bytes. */
struct guarded {
    struct stretch bytes; /* in the program's view; first */
    bool written;         /* the message writes it, so nobody may look; else nobody may write */
    bool blocks;          /* the call waits itself: another thread touches */
    bool device;          /* no message: memory of a GPU, which plain C may never touch; made at `at` */
    int rank;             /* whose message */
    enum call call;       /* the call that posted it, */
    struct dist_at at;    /* where, */
    int peer;             /* and to or from which rank; DIST_ANY_SOURCE; -2: a collective */
    struct guarded *next; /* of the same work */
};

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_FREE, TOUCH_SEND, TOUCH_RECEIVE, TOUCH_UNKNOWN };

static inline bool touch_changes(enum touch touch)
{
    return touch == TOUCH_WRITE || touch == TOUCH_FREE || touch == TOUCH_RECEIVE;
}

/* Somebody touches a tensor in flight. */
struct misuse {
    struct guarded range;
    enum touch touch;
    int rank;          /* who touches; -1: a thread that is no rank, or a process that one has forked */
    const char *call;  /* by this call of the library; NULL: plain C, */
    struct dist_at at; /* here; file NULL: not known */
    char function[64]; /* plain C of which no line is known: the function, or "" */
    uintptr_t address; /* plain C of which nothing is known: the code */
};

/* Switch on, for this rank's process: map the second view and take over SIGSEGV. `tell` reports what plain C does, and
 * returns where the program goes on. False: the memory cannot be mapped twice; only calls are checked then. */
bool guard_open(struct world *world, void (*tell)(struct misuse *misuse));

bool guard_is_open(void);

/* Somebody may have taken SIGSEGV since: take it back, and hand on to him what is not ours. */
void guard_stand_first(void);

/* A copy of `range` becomes the first of its work's; all of a work's are free again. */
void guard_take(struct guarded **ranges, const struct guarded *range);
void guard_release(struct guarded **ranges);

/* Let it be touched from now on: that it was, was told. */
void guard_pardon(const struct guarded *range);

/* Would this touch of [begin, end) be a misuse? Fills in misuse->range. */
bool guard_finds(uintptr_t begin, uintptr_t end, enum touch touch, struct misuse *misuse);

/* fault.c's question: what does a fault at this address mean? For an innocent one the page was opened; `passes`: it will be closed
 * again behind this one touch, by guard_close. */
enum fault { FAULT_FOREIGN, FAULT_INNOCENT, FAULT_MISUSE };
enum fault guard_fault(uintptr_t address, bool passes, struct misuse *misuse);
void guard_close(uintptr_t address);

bool fault_catch(
    void (*tell)(struct misuse *misuse)); /* fault.c: be the first that a fault comes to (NULL: again) */
void where_prepare(void);                 /* where.c: what must not happen inside a handler */
void where_touched(void *context, struct misuse *misuse); /* fills in at, function, address */

/* misuse.c: "dist_isend to 1 (overlap.c:27)" (peer: as in struct guarded); a place, "line 27" in a report that names the other's file; one
 * sentence, and the block for stderr. */
struct words misuse_post(enum call call, bool sends, int peer, struct dist_at at);
struct words misuse_line(struct dist_at at, struct dist_at other);
void misuse_say(const struct misuse *misuse, char *sentence, size_t room, char *block, size_t size);

#endif
