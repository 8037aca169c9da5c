/*
 * letters.h: the state of the lane's model, shared by its three files: lane.c walks, letters_post.c sends,
 * letters_take.c receives.
 *
 * Two ranks, 0 and 1, each one thread. A rank runs a short program of calls; in a wait it walks along its open
 * operations as engine.c does, one memory access a step. The bell is here one bit, set together with the news:
 * that this is fair is what the bell's model shows.
 */
#ifndef MODEL_LETTERS_H
#define MODEL_LETTERS_H

#include "explore.h"
#include "order.h"

#define OPS 4 /* operations of a rank */
#define ROW 3 /* tickets of a rank */
#define NONE 0xff

/* How a message travels. */
enum size {
    SHORT,
    FAR,
    LONG
}; /* inside the letter; copied from the tensor at once; after leaving the lane */

/* A line of a rank's program. */
struct call {
    enum { END, SEND, RECV, WAIT } what;
    uint8_t tag; /* of WAIT: which operation */
    uint8_t size;
    uint8_t misfit; /* RECV: its tensor has another size than the message */
};

enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_PARKED, VERDICT_REFUSED };
enum way {
    CLOSED,
    QUEUED,
    POSTED,
    PARKED,
    OPEN,
    COPYING,
    FINISHED
}; /* of a send: to PARKED; of a receive: the rest */

struct op {
    uint8_t call; /* the line of the program that posted it */
    uint8_t way;
    uint8_t ticket;  /* of a send */
    uint8_t message; /* of a receive that has found its letter: which of the peer's operations; see `with` */
    uint8_t with;    /* and that letter's ticket */
};

/* A letter, as its receiver keeps it. A message is named by the number of the operation that sends it. */
struct copy {
    uint8_t message, text, ticket;
};

struct rank {
    uint8_t pc, line; /* where in the walk, where in the program */
    uint8_t at;       /* the operation that the walk looks at */
    uint8_t held;     /* the lane has an earlier user, for this walk */
    uint8_t moved;    /* this walk has changed something */
    uint8_t rung;     /* its bell has rung since the last walk began */
    uint8_t count, parked_count;
    uint8_t free_tickets; /* a bit for each */
    uint8_t verdict;      /* to be written into ack, or onto a ticket */
    uint8_t matched, got,
        refused; /* messages of the peer, a bit for each: has found its receive; data copied; refused */
    struct copy letter; /* the one that was just read from the lane */
    struct op ops[OPS];
    struct copy parked[OPS];
};

/* What both can see. Everything with [2] is written by that rank only, but tickets, which the peer stamps. */
struct shared {
    uint8_t seq[2], ack[2], verdict[2];  /* ack and verdict are one word */
    uint8_t head[2], text[2], ticket[2]; /* the letter in this rank's lane to the other */
    uint8_t stamps[2][ROW];
    uint8_t tensor[2][OPS]; /* the message's number, until the program overwrites it */
};

struct state {
    uint64_t knows[2 + 2 + 2 + 2 * ROW]; /* order.h: the ranks, then these words */
    struct rank ranks[2];
    struct shared shared;
};

/* Names for order.h: words, then places. */
#define WORD_SEQ(rank) (2 + (rank))
#define WORD_ACK(rank) (4 + (rank))
#define WORD_STAMP(rank, ticket) (6 + (rank)*ROW + (ticket))
#define PLACE_HEAD(rank) (rank)
#define PLACE_TEXT(rank) (2 + (rank))
#define PLACE_TENSOR(rank, op) (4 + (rank)*OPS + (op))

/* Faults, in the order of lane.c's table. */
enum {
    FINE,
    SEQ_FIRST,
    NEVER_ASKS,
    ACK_FIRST,
    STAMP_FIRST,
    PARKED_IS_DONE,
    HELD_FORGOTTEN,
    POST_NOT_HELD,
    VERDICT_UNCOUNTED,
    TICKET_FREED_EARLY,
    TICKET_CLEARED_LATE,
    LAST_PARKED_FIRST,
    PARKED_FORGOTTEN,
    NO_RING,
    SEQ_RELAXED,
    SEQ_READ_RELAXED,
    ACK_RELAXED,
    ACK_READ_RELAXED,
    STAMP_RELAXED,
    STAMP_READ_RELAXED
};

/* pc: outside a walk; along the sends; along the receives; asleep. */
enum {
    AT_PROGRAM,
    AT_OVERWRITE,
    AT_SEND,
    AT_CLEAR,
    AT_HEAD,
    AT_TEXT,
    AT_SEQ,
    AT_VERDICT,
    AT_RECV,
    AT_READ_HEAD,
    AT_READ_TEXT,
    AT_MATCH,
    AT_COPY,
    AT_ACK,
    AT_COPY_ASIDE,
    AT_STAMP,
    AT_REST,
    ASLEEP
};

/* One rank's step. */
struct turn {
    struct step *step;
    struct state *state;
    struct rank *me;
    struct shared *shared;
    struct order order;
    int rank, peer;
};

struct call call_of(const struct turn *t, int rank, int op); /* the call that posted an operation */
void note_broken(struct turn *t, bool good, const char *promise);

void send_step(struct turn *t);               /* letters_post.c: AT_SEND to AT_VERDICT */
void recv_step(struct turn *t);               /* letters_take.c: AT_RECV to AT_STAMP */
void take_parked(struct turn *t, uint8_t op); /* a receive was posted: has its letter come already? */

#endif
