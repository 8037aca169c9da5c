/*
 * channel.h: the state of the channel's model, shared by its four files: channel.c walks, channel_post.c sends,
 * channel_take.c and channel_match.c receive. A channel is here a slot and a ring of two cells, and acknowledges for two.
 *
 * Two ranks, 0 and 1, each one thread. A rank runs a short program of calls; in a wait it walks along its open
 * operations as engine.c does, one memory access a step. The event count is here one bit, set together with the news:
 * that this is fair is what the event count's model shows.
 */
#ifndef MODEL_CHANNEL_H
#define MODEL_CHANNEL_H

#include "explore.h"
#include "order.h"

#define OPS 4 /* operations of a rank */
#define ROW 3 /* tickets of a rank */
#define CELLS 2
#define PLACES (1 + CELLS) /* the slot, then the cells */
#define BATCH 2            /* messages of the ring for which one acknowledgement serves */
#define NONE 0xff

/* How a message travels. */
enum size {
    SHORT,
    FAR,
    LONG
}; /* inside the envelope; copied from the tensor at once; after leaving the channel */

/* A line of a rank's program. */
struct call {
    enum { END, SEND, RECV, WAIT } what;
    uint8_t tag; /* of WAIT: which operation */
    uint8_t size;
    uint8_t misfit; /* RECV: its tensor has another size than the message */
};

enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_BY_TICKET, VERDICT_REFUSED };
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
    uint8_t ticket; /* of a send; */
    uint8_t number; /* that was posted: the n-th of this channel, */
    uint8_t place;  /* and where it stands */
    uint8_t
        message;  /* of a receive that has found its envelope: which of the peer's operations; see `with` */
    uint8_t with; /* and that envelope's ticket */
};

/* An envelope, as its receiver keeps it. A message is named by the number of the operation that sends it. */
struct copy {
    uint8_t message, text, ticket;
};

struct rank {
    uint8_t pc, line; /* where in the walk, where in the program */
    uint8_t at;       /* the operation that the walk looks at */
    uint8_t looked;   /* this walk has read ack: */
    uint8_t known;    /* so many are known to be taken, */
    uint8_t told;     /* and this is the verdict on the last in the slot */
    uint8_t sent;     /* messages */
    uint8_t held;     /* an earlier send waits, for this walk */
    uint8_t moved;    /* this walk has changed something */
    uint8_t notified; /* it was notified since the last walk began */
    uint8_t count, unexpected_count;
    uint8_t free_tickets; /* a bit for each */
    uint8_t verdict;      /* to be written into ack, into a cell, or onto a ticket */
    uint8_t taken, acked; /* messages; those acknowledged */
    uint8_t slot_verdict; /* on the last that came in the slot */
    uint8_t place;        /* of the envelope that it looks at */
    uint8_t matched, got,
        refused; /* messages of the peer, a bit for each: has found its receive; data copied; refused */
    struct copy envelope; /* the one that was just read from the channel */
    struct op ops[OPS];
    struct copy unexpected[OPS];
};

/* What both can see. Everything with [2] is written by that rank only, but tickets, which the peer stamps. */
struct shared {
    uint8_t seq[2][PLACES], ring[2]; /* the number of the message there; the slot's bit: the ring is in use */
    uint8_t ack[2], verdict[2];      /* one word: how many, and the verdict on the slot's */
    uint8_t text[2][PLACES], ticket[2][PLACES],
        head[2][PLACES];             /* the envelopes on this rank's way to the other */
    uint8_t cell_verdict[2][PLACES]; /* which the peer writes, where it is not DONE */
    uint8_t stamps[2][ROW];
    uint8_t tensor[2][OPS]; /* the message's number, until the program overwrites it */
};

struct state {
    uint64_t knows[2 + 2 * PLACES + 2 + 2 * ROW]; /* order.h: the ranks, then these words */
    struct rank ranks[2];
    struct shared shared;
};

/* Names for order.h: words, then places. */
#define WORD_SEQ(rank, place) (2 + (rank)*PLACES + (place))
#define WORD_ACK(rank) (2 + 2 * PLACES + (rank))
#define WORD_STAMP(rank, ticket) (4 + 2 * PLACES + (rank)*ROW + (ticket))
#define PLACE_ENVELOPE(rank, place) ((rank)*PLACES + (place))
#define PLACE_VERDICT(rank, place) (2 * PLACES + (rank)*CELLS + (place)-1)
#define PLACE_TENSOR(rank, op) (2 * PLACES + 2 * CELLS + (rank)*OPS + (op))

/* Faults, in the order of channel.c's table. */
enum {
    FINE,
    SEQ_FIRST,
    CELL_TOO_SOON,
    CELL_UNSETTLED,
    SLOT_TOO_SOON,
    RING_UNSAID,
    VERDICT_KEPT,
    VERDICT_AFTER_ACK,
    LAST_VERDICT,
    BATCH_FORGOTTEN,
    ACK_FIRST,
    STAMP_FIRST,
    PARKED_IS_DONE,
    VERDICT_UNCOUNTED,
    TICKET_FREED_EARLY,
    TICKET_CLEARED_LATE,
    LAST_PARKED_FIRST,
    PARKED_FORGOTTEN,
    NO_NOTIFY,
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
    AT_WRITE,
    AT_SEQ,
    AT_VERDICT,
    AT_RECV,
    AT_LOOK_RING,
    AT_READ,
    AT_MATCH,
    AT_COPY,
    AT_CELL_VERDICT,
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

/* channel_match.c */
void match(struct turn *t, struct op *op, struct copy envelope);
void got(struct turn *t, struct op *op, uint8_t text);
void refuse(struct turn *t, const struct op *op);
void read_tensor(struct turn *t, struct op *op);
void finish(struct op *op);
void copy_aside(struct turn *t);
void stamp(struct turn *t);

void send_step(struct turn *t);                   /* channel_post.c: AT_SEND to AT_VERDICT */
void recv_step(struct turn *t);                   /* channel_take.c: AT_RECV to AT_STAMP */
void take_unexpected(struct turn *t, uint8_t op); /* a receive was posted: has its envelope come already? */

#endif
