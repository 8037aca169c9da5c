/*
 * wanted.h: the state of the model of wanted messages, shared by its four files: wanted.c has the programs, wanted_post.c
 * and wanted_wait.c the sender, wanted_take.c the receiver.
 *
 * One channel, from a sender to a receiver, that holds one message: who comes next has to wait, as behind a full ring. Its envelope (head) lies in
 * the slot, its data (text) in the stage, or, where an earlier message lies there still, in the sender's tensor. The sender has a helper from its first isend on; the two take turns by a lock, and
 * are one thread here. What the receiver writes into ack passes through a store buffer, which empties when it likes: that is the
 * light way of channel_acknowledge. Sleepers on a rank's event count see all news, as the event count's model shows; the helper sleeps until it is notified.
 */
#ifndef MODEL_WANTED_H
#define MODEL_WANTED_H

#include "explore.h"
#include "order.h"

#define CALLS 4  /* of a rank: the n-th send sends message n */
#define BUFFER 2 /* stores that can be on their way to memory */

/* Faults, in the order of wanted.c's table. */
enum {
    FINE,
    SEQ_FIRST,
    ACK_FIRST,
    WANT_KEPT,
    WANT_UNCOUNTED,
    WANT_TOO_SOON,
    WANT_WITHOUT_SIZE,
    TAKEN_IS_WANTED,
    NO_HURRY,
    NO_SETTLE,
    HURRY_READ_FIRST,
    NOBODY_LISTENS,
    STAGE_LENT,
    EARLY_WITHOUT_STAGE,
    ISEND_UNCOUNTED,
    SEQ_RELAXED,
    SEQ_READ_RELAXED,
    ACK_RELAXED,
    ACK_READ_RELAXED
};

enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_BY_TICKET, VERDICT_REFUSED };
enum { HURRY = 1 }; /* a bit of seq */

/* Where the sender stands: in the quick way; in the long way; starting its helper; and the helper. */
enum {
    CALL,
    WRITE,
    POST,
    LOOK,
    LOOK_ONCE,
    STAMP,
    QUEUED,
    WAIT_FREE,
    LOOK_FREE,
    SET_HURRY,
    SETTLE,
    LISTEN,
    LAST_LOOK,
    HELPER
};

/* And the receiver. PEEK: only where a fault reads the bits of seq before ack is written. */
enum { ASK, SAY_WANT, LOOK_UNEXPECTED, WATCH, READ, COPY, PEEK, WRITE_ACK, READ_BITS, NOTIFY };

/* The word ack. `want` is the message's kind, as in the programs; 0: none. */
struct ack {
    uint8_t count, verdict, want;
    uint8_t wanter; /* not in the word, only to judge by: which receive says so */
};

struct sender {
    uint8_t pc, line;
    uint8_t early;   /* the next message is wanted: by this receive + 1 */
    uint8_t watches; /* it goes the quick way */
    uint8_t listens,
        notified;           /* the helper is counted among the sleepers of its event count; it was notified */
    uint8_t staged;         /* the message in the stage whose send is open, + 1 */
    uint8_t wanters[CALLS]; /* who wanted the message of a send that ended early, + 1 */
};

struct receiver {
    uint8_t pc, line;
    uint8_t taken;      /* messages */
    uint8_t unexpected; /* messages, a bit for each; */
    uint8_t far;        /* those of them whose text lies in the stage */
    uint8_t open;       /* receives, a bit for each */
    uint8_t message,
        op;          /* the message that it looks at, and the receive for which that is; CALLS: for none */
    uint8_t bits;    /* of seq, read too early */
    struct ack says; /* the last that it wrote */
    uint8_t fates[CALLS];  /* enum verdict on each message */
    uint8_t takers[CALLS]; /* and by which receive */
    struct ack buffer[BUFFER];
    uint8_t buffered;
};

struct state {
    uint64_t knows[2 + 2 + BUFFER +
                   CALLS]; /* order.h: the two, then these words, the stores on their way, the stamps */
    struct sender sender;
    struct receiver receiver;
    struct ack ack;
    uint8_t seq, bits, head, text;
    uint8_t by_stage; /* of the head: its text lies there */
    uint8_t stamps[CALLS];
};

#define THE_SENDER 0
#define THE_RECEIVER 1
#define WORD_SEQ 2
#define WORD_ACK 3
#define WORD_BUFFER 4
#define WORD_STAMP (WORD_BUFFER + BUFFER)
#define PLACE_HEAD 0
#define PLACE_TEXT 1

/* One step. */
struct turn {
    struct step *step;
    struct state *state;
    struct order order;
};

/* A line of a program: what, and which kind of message. The same message, large or small, is a tag; large is another size. */
char verb_of(const struct turn *t, int rank, int line);
char kind_of(const struct turn *t, int rank, int line);
bool same_tag(char a, char b);
void must(struct turn *t, bool good, const char *promise);

bool sender_step(struct turn *t);
bool long_way(struct turn *t); /* wanted_wait.c; the others of these are wanted_post.c's */
bool slot_free(const struct turn *t);
void load_ack(struct turn *t, const char *why);
bool is_wanted(const struct turn *t);
void begin_message(struct turn *t);
bool receiver_step(struct turn *t);
void store_ack(struct turn *t, struct ack ack);
bool empty_ack_buffer(struct turn *t); /* one store reaches memory */

/* A send has ended early, or its message was taken: whichever is second looks whether the two agree. */
void judge_early(struct turn *t, int message);

#endif
