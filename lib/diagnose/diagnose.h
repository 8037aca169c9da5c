/*
 * diagnose.h: why does nothing move?
 *
 *   stuck.c     decides: is every rank asleep, with no event count notified since its last look? Then none will ever move.
 *   tasks.c     has a rank threads that never called? Then one of them might still
 *   fresh.c     has everybody look again, so that the notes are up to date
 *   graph.c     reads the ranks' notes: who waits for whom, and is there a cycle?
 *   cause.c     finds the one cause to tell, and what to change; near.c: a send and a receive that nearly meet; together.c: or two
 *               collectives
 *   report.c    the text on stderr          json.c  the same for programs
 *   poll.c      a rank only asks whether something is over, and all others wait
 *   replay.c    would a run that ended well have been stuck without buffers? race.c: or otherwise, with luck
 *   guard.c, fault.c, where.c, misuse.c     who touches a tensor in flight? (guard.h)
 *
 * There is no time limit in it. That all are asleep is read twice, with every sleep's number (its epoch) the same, so
 * at the moment between the two readings all slept at once. A rank goes to sleep only after a look that found nothing
 * to do, and whoever has news for a sleeper counts up its event count before doing anything else that could make it fall
 * asleep. So event counts that still show what their sleepers saw mean: nothing is on its way to anybody.
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "../call.h"
#include "../dtype.h"
#include "../launch/launch.h"
#include "../launch/text.h"

/* What one rank does, copied while the job stood still. */
struct view {
    enum rank_state state;
    uint32_t call;      /* call id << 16 | site */
    int count;          /* open operations; the first is what it waits for */
    char host_call[32]; /* not "": that stands in a stream, and the program waits for its GPU in this call, */
    uint32_t host_site; /* here */
    struct note_op open[NOTE_OPS];
};

/* Why nothing moves, in one sentence, and what to do about it. */
struct diagnosis {
    const struct world *world;
    int size;
    struct view *views;         /* per rank */
    int cycle[WORLD_MAX_RANKS]; /* ranks that wait for each other, in order */
    int cycle_length;           /* 0: there is none */
    enum dist_error error;      /* DIST_OK: a warning, of luck in a run that ended well; */
    bool polls;                 /* or of a rank that polls */
    struct why sentence;
    char advice[240];
    const char *lesson;          /* that explains it: launch/text.h */
    const struct replay *replay; /* of a run that is only thought through; else NULL */
};

/* What a report says besides the ranks. */
struct told {
    int status;           /* enum dist_error, or the job's other exit status */
    const char *sentence; /* "what; advice", or with `advice` apart */
    const char *advice;
    const char *lesson; /* its line in the report; NULL: none */
    int rank;           /* who told, or was the cause; -1: nobody in particular */
    const char *call;   /* what that rank called, */
    struct dist_at at;  /* and where */
};

/* Where DIST_REPORT names a file: write a report that was not made here into it. `world` may be NULL. */
void diagnose_write(const struct world *world, const struct told *told);

/* The same for what a watcher has said of a rank that was lost. */
void diagnose_lost(const struct world *world, int rank, int status, const char *text);

/* When all ranks have left, and well: would it also have ended without buffers? If not, a warning is printed. */
void replay_check(const struct world *world); /* replay.c */

/* Of a run that is only thought through: would `rank` wait for `peer`? */
bool replay_waits_for(const struct replay *replay, int rank, int peer);

/* How long this rank's list of calls is, which that needs: rank_notes.log says where it is. 0: it keeps none, or several threads wrote in
 * it, and then nobody reads it. */
uint64_t replay_bytes(const struct world *world, int rank);

/* Called every few milliseconds by the watcher (rank -1), or by a rank whose nap has ended. If the job can never move
 * again it is reported and declared failed. */
void diagnose_look(struct world *world, int rank);

/* The same where the job is on several machines, whose watchers ask each other (launch/decide.c): do all ranks of this one sleep (`sleeps`
 * is a number of their present sleeps), and are all about to leave? And no rank of any will ever move: tell why. */
bool diagnose_asleep(const struct world *world, uint64_t *sleeps, bool *leaving);
void diagnose_explain(struct world *world);

/* poll.c: a rank asks again and again. The next of the asks in vain; `first`: the rank's last call was another one. True: it is time to
 * tell. And: do all others wait, so that none of them will ever move by itself? Then tell, with what the rank has written down. */
bool poll_ask(const struct world *world, int rank, bool first);
void poll_tell(const struct world *world, int rank);
bool poll_asks(const struct world *world, int rank); /* has it asked so long in vain, and still does? */
void poll_over(const struct world *world, int rank); /* it is told: yes */

bool diagnose_still_there(const struct world *world, int rank); /* stuck.c */
bool diagnose_stuck(const struct world *world, int rank);
bool diagnose_others_stuck(const struct world *world, int rank); /* all but what this thread does */
bool diagnose_knows_threads(const struct world *world);          /* tasks.c: no others could still call */
void diagnose_note_threads(struct world *world,
                           int rank); /* tasks.c: for those who cannot see this rank's process */

/* A collective, or a message of which one is made: the program called a collective (graph.c). */
bool in_collective(const struct note_op *op);

void read_views(const struct world *world, struct view *views); /* what stands in all notes now */
bool diagnose_refresh(struct world *world, int rank);           /* fresh.c: have the notes written anew */

/* graph.c. A new diagnosis gets its views, for the caller to free. False: no memory. */
bool diagnosis_open(struct diagnosis *d, const struct world *world);
bool waits(const struct view *view);                           /* asleep in a call that needs others */
bool waits_for(const struct diagnosis *d, int rank, int peer); /* does `rank` need something of `peer`? */
bool needs_only_one(const struct view *view);                  /* any one of those will do */

/* What it waits for: one operation, or any of several. The index after i (-1: the first), -1: no more. And the first of them that needs
 * something of `peer`; NULL: none. */
int next_awaited(const struct view *view, int i);
bool waits_for_any(const struct view *view); /* of several */
const struct note_op *awaited_of(const struct diagnosis *d, int rank, int peer);
bool has_left(const struct view *view);
void find_cycle(struct diagnosis *d);
bool in_cycle(const struct diagnosis *d, int rank);

/* cause.c */
void say_wait(struct diagnosis *d, int rank, const struct note_op *op); /* what it waits for, and where */
void advise(struct diagnosis *d, const char *lesson, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool tell_near_miss(struct diagnosis *d);                           /* near.c; false: there is none */
bool tell_two_collectives(struct diagnosis *d);                     /* together.c; the same */
const struct note_op *freed_by_a_member(const struct diagnosis *d); /* a collective; NULL: none */

/* What makes the i-th rank of the cycle wait for the next one; how many of these are of this kind? */
const struct note_op *link_of(const struct diagnosis *d, int i);
int how_many(const struct diagnosis *d, enum note_kind kind);
void find_cause(struct diagnosis *d);
void explain_luck(struct diagnosis *d); /* the cycle of a run that ended well */

/* report.c */
struct words place_of(const struct diagnosis *d, int rank, uint32_t site); /* "chain.c:17" */
bool brings_nothing(const struct note_op *op); /* a barrier, or a group to be made: no elements to tell of */
void report_text(const struct diagnosis *d);

void report_json(const struct diagnosis *d, const struct told *told); /* json.c */

#endif
