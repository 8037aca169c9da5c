/* meet.h: what the parts of a collective know of each other: who has come, two levels, small sums inside notes, long ones round a ring. */
#ifndef TRANSPORT_MEET_H
#define TRANSPORT_MEET_H

#include "state.h"

/* A collective, where members are waited for: at the first of all, and at the first of those of a machine. */
struct meeting {
    struct meeting *next;
    int number, size;
    int came, here; /* members; and of these, those of this machine */
    uint32_t seq;
    bool flat;
    const struct dist_group *group; /* NULL: this rank itself has not come yet */
    struct arrival {
        struct wire come; /* its note; op: 0: has not come */
        void *inside;     /* what its machine adds, or its note's data, copied; NULL: nothing */
    } arrivals[];
};

/* Do data move? In all others members only meet: a barrier, a new group, what algorithms/ does. */
static inline bool meet_moves(const struct dist_work *op)
{
    return op->call >= CALL_BROADCAST && op->call <= CALL_REDUCE_SCATTER && op->block > 0;
}

/* ---- meet.c --------------------------------------------------------------------------------------------- */

void meet_hear(struct transport_state *state, int from, const struct wire *wire);
void meet_over(struct transport_state *state, struct dist_work *op, struct meeting *m);
/* This rank, the first, leaves: has somebody left who has not come? Then it is given up; who waits for it is seen to. */
bool meet_desert(struct transport_state *state, const struct dist_work *op);

/* ---- meetings.c ------------------------------------------------------------------------------------------- */

struct meeting *meetings_find(const struct transport_state *state, int number,
                              uint32_t seq); /* NULL: nobody has come to this rank for it */
struct meeting *meetings_make(struct transport_state *state,
                              const struct wire *wire); /* or find it; NULL: no memory */
void meetings_end(struct transport_state *state, struct meeting *m);

/* ---- levels.c: a leader's part in a collective in two levels; m: who is here, NULL: nobody else ----------------- */

bool levels_take(const struct dist_work *op); /* is it done so? */
void levels_begin(struct transport_state *state, struct dist_work *op, struct meeting *m,
                  uint64_t next); /* the op of the next machine's leader */
void levels_finish(struct transport_state *state, struct dist_work *op);
void *levels_result(const struct dist_work *op); /* where the leader makes it */
bool levels_gain(const struct dist_work
                     *op); /* is it one tensor, or one sum, for all? Then less travels so between machines */
size_t levels_sum_here(const struct transport_state *state, const struct dist_work *op,
                       const struct meeting *m, void *sum); /* what this machine adds; so many bytes, or 0 */
void levels_deliver(struct transport_state *state, struct dist_work *op, struct meeting *m,
                    void *result); /* to all that are here; the op is over */

/* ---- inside.c: small ones, in the notes of the leaders --------------------------------------------------------------- */

bool inside_fits(const struct transport_state *state, const struct dist_work *op);
bool inside_by_all(const struct transport_state *state,
                   const struct dist_work *op); /* each leader tells all others; else the first */
void inside_tell(struct transport_state *state, const struct dist_work *op, struct meeting *m,
                 struct wire *wire); /* that this machine has come, with what it adds */
void *inside_keep(struct transport_state *state,
                  const struct wire *wire); /* a copy of what it carries; or NULL */
void inside_end(struct transport_state *state, struct dist_work *op, struct meeting *m); /* all have told */
void inside_take(struct transport_state *state, struct dist_work *op, struct meeting *m,
                 const void *data); /* the sum, from the first */

/* ---- ring.c: long ones, from leader to leader ------------------------------------------------------------------ */

bool ring_pays(const struct transport_state *state, const struct dist_work *op);
int ring_leader(const struct dist_group *group, int place,
                int steps); /* the place of that machine's leader, so many further */
void ring_begin(struct transport_state *state, struct dist_work *op, void *data,
                uint64_t next); /* data: this machine's sum; next: the next leader's op */
void ring_hear(struct transport_state *state, const struct wire *wire);
void ring_landed(struct transport_state *state, struct dist_work *op); /* a block has come, or gone */

#endif
