/* wire.h: the control messages, here called notes (those for the watcher are launch/note.h), by which ranks agree on what the transport then
 * does (state.h). */
#ifndef TRANSPORT_WIRE_H
#define TRANSPORT_WIRE_H

#include "transport.h"
#include "../common/claim.h"
#include "../common/match.h"

/* Bytes of data that travel in a note: with it, less than what every MPI sends at once, inside a machine and between two. */
#define INSIDE_NEAR 1536
#define INSIDE_FAR 8192

enum wire_kind {
    WIRE_MESSAGE, /* a send, with its data or their size */
    WIRE_BEGIN,   /* receiver: send these data now (clear to send) */
    WIRE_TAKEN,   /* receiver: they are copied */
    WIRE_REFUSED, /* receiver: type or count differ */
    WIRE_KNOWN,   /* sender: has read REFUSED; data on offer may be received, and dropped */
    WIRE_COME,    /* a member, or a leader for its machine, has called a collective */
    WIRE_GO,      /* all have: begin */
    WIRE_OVER,    /* leader: your tensor has the result */
    WIRE_RING,    /* the leader before: the tag of the blocks that come round the ring */
    WIRE_DIFFER   /* the calls differ */
};

/* What a rank waits for: behind so many messages, short and long ones (wants.c). */
struct want {
    uint32_t shorts, longs;
    int32_t tag;
    uint16_t group;
    uint8_t type;
    int64_t count;
};

/* A note. Shorter ones end early; data come after `claim`. */
struct wire {
    uint8_t kind;
    bool flat : 1;  /* COME: its tensors overlap, or DIST_FLAT says so; GO: so the transport does all of it */
    bool aside : 1; /* of a message: it was copied aside, and nobody waits until it is taken */
    uint16_t bytes; /* of the note with its data: behind them the next one begins (bundles.c) */
    uint32_t site;  /* of a message: where it was sent, for whoever reads this rank's notes */
    uint64_t tag;   /* of the data */
    uint64_t op;    /* the op that is answered; of what is to be answered: the sender's, */
    uint64_t in,
        out; /* and where its tensors lie in the world of its machine; NOWHERE: not in it. GO: `in`: the op of the next leader */
    union {
        struct {
            int32_t a, b;      /* DIFFER: the ranks that do; COME: the group's number and size, */
            int32_t place;     /* the sender's in it, */
            int32_t members;   /* for how many it speaks, */
            int32_t differing; /* and the place of one of them that differs, as `other` says; -1 */
            int32_t inside;    /* COME, GO: bytes of data in it (inside.c) */
        };
        struct {
            struct want want;       /* MESSAGE: the sender's; */
            uint32_t number, longs; /* which of the short ones it is, behind so many long ones */
        };
    };
    uint32_t seq; /* which collective of the group; of a long message: which one to this rank */
    struct claim claim, other;
};
#define NOWHERE UINT64_MAX
#define WIRE_ANSWER offsetof(struct wire, in)
#define WIRE_SHORT offsetof(struct wire, claim)
#define WIRE_ONE offsetof(struct wire, other)
#define WIRE_BOTH (WIRE_ONE + sizeof(struct claim))
_Static_assert(WIRE_ONE + INSIDE_FAR <= TRANSPORT_NOTE, "a note is too long");

/* So many bytes, and up to where the next note may begin. */
static inline size_t wire_whole(size_t bytes)
{
    return (bytes + alignof(struct wire) - 1) / alignof(struct wire) * alignof(struct wire);
}
static inline const void *wire_data(const struct wire *wire)
{
    return (const char *)wire + WIRE_ONE;
}

/* Of the data that a message announces. */
static inline size_t wire_bytes(const struct wire *message)
{
    return (size_t)message->claim.count * dtype_size((enum dist_type)message->claim.type);
}

/* Bytes under way: notes (of which it keeps a copy), data, or a collective. */
struct flight {
    struct flight *next;
    transport_request request;
    struct dist_work *op; /* NULL: nobody waits for it */
    size_t size;          /* bytes of: */
    char note[];
};

struct flights {
    struct flight *first, **end; /* the last link */
    int count;
};

/* What the program has done some times in a row it will do again, it is believed: until it once does not. */
struct habit {
    int kept; /* times in a row; below 0: as many more are needed */
};
#define HABIT_TIMES 4 /* after so many it is believed */
static inline bool habit_is_kept(const struct habit *habit)
{
    return habit->kept >= HABIT_TIMES;
}
static inline void habit_learn(struct habit *habit, bool kept)
{
    if (kept)
        habit->kept += !habit_is_kept(habit);
    else if (habit->kept > 0)
        habit->kept = 0;
}

/* Notes to ranks that only the transport reaches: they travel together (bundles.c). */
struct bundles {
    struct bundle {
        struct flight *notes; /* room for them; NULL: none */
        size_t bytes;
        bool urgent;    /* not all in it may wait */
        int64_t left;   /* ns: when the last one did, */
        uint32_t waits; /* and how often the rank had waited */
    } * to;             /* each rank; */
    int *open, count;   /* those with notes in them: their ranks; */
    int urgent;         /* so many of them are; */
    int64_t began;      /* ns: when the program began to start ops; 0: it has waited since */
    struct habit waits; /* soon after that */
};

/* Answers that may wait for a message to the same rank (answers.c). */
struct answers {
    uint32_t ever;      /* so many since the job began */
    struct habit turns; /* a message follows soon on an answer, to the same rank */
    int answered;       /* 1 + the rank that was answered last; 0: it was sent a message since */
    int64_t when;
};

/* Long data that have set out with their message, each under a tag of its own (offers.c). */
#define OFFERS_MOST 64
#define OFFERS_FIRST_TAG (TRANSPORT_TAGS - OFFERS_MOST)
#define RINGS_FIRST_TAG (TRANSPORT_TAGS / 2) /* of long sums (ring.c); below: of data that are asked for */
struct offers {
    struct offer {
        struct dist_work *op;      /* neither: a free place */
        transport_request request; /* without an op: nobody waits for it any more */
    } places[OFFERS_MOST];
    int count; /* with an op */
};

/* The receive of such data from a rank, which has begun before their message has come (ahead.c). */
#define AHEAD_KINDS 16 /* of groups and tags: what two have in common costs a receive in vain */
struct ahead {
    uint32_t sent, heard; /* long messages to that rank, and from it; and short ones: */
    uint32_t short_sent[AHEAD_KINDS], short_heard[AHEAD_KINDS];
    uint32_t vain;        /* receives that met none */
    struct dist_work *op; /* NULL: none has begun */
    uint64_t tag;
    transport_request request;
};

/* ---- wire.c: with the state locked ------------------------------------------------------------------------ */

struct transport_state;
void wire_send(struct transport_state *state, int peer, const struct wire *wire, size_t bytes);
void wire_send_message(struct transport_state *state, int peer, const struct wire *wire, const void *data,
                       size_t inside);
void wire_send_later(struct transport_state *state, int peer, const struct wire *wire, size_t bytes);
size_t wire_inside(const struct transport_state *state, int peer,
                   size_t bytes);              /* of so many: all, or none */
bool wire_hear(struct transport_state *state); /* true: one was read */
/* Let it be tested until it is over; then its op is. */
void wire_fly(struct transport_state *state, transport_request request, struct dist_work *op);
void wire_keep_notes(struct transport_state *state,
                     struct flight *notes); /* into notes_out, until the transport has done with them */
bool wire_progress(struct transport_state *state, struct flights *flights); /* true: some have landed */
/* 1: it is over; 0: not yet; -1: the transport has failed, and everything was given up. */
int wire_test(struct transport_state *state, transport_request *request);
void wire_swallow(struct transport_state *state, int from, size_t bytes,
                  uint64_t tag);                 /* data for no tensor */
void wire_broken(struct transport_state *state); /* the transport is */
/* As if a note were sent, and heard: what the transport tells the other side by itself is counted as one, and its receiver notified. */
void wire_count(struct transport_state *state, int peer);
void wire_announce(struct transport_state *state, int peer);
void wire_heard(struct transport_state *state);
void wire_reap(struct transport_state *state); /* forget the notes that have left */
void wire_open(struct transport_state *state); /* nothing is under way (any more) */

/* ---- bundles.c ----------------------------------------------------------------------------------------------- */

bool bundles_open(struct transport_state *state, int size); /* false: no memory */
void bundles_close(struct transport_state *state);

/* A note, and behind it data. waits: not urgent: it leaves with the next urgent one, or with BUNDLES_ALL. False: no memory. */
bool bundles_add(struct transport_state *state, int peer, const struct wire *wire, size_t bytes,
                 const void *data, size_t inside, bool waits);

enum which_bundles {
    BUNDLES_ALL,
    BUNDLES_URGENT, /* those with an urgent note; */
    BUNDLES_FIRST   /* of these not those to whose rank one has just left */
};
void bundles_flush(struct transport_state *state, enum which_bundles which);
void bundles_see_wait(struct transport_state *state); /* the program waits, or asks, for what is not over */

/* ---- answers.c: to a message, now or with the next note to its sender ------------------------------------------ */

void answers_taken(struct transport_state *state, int from, const struct wire *message);
void answers_flush(struct transport_state *state);                 /* send all deferred answers now */
bool answers_wait_for_turn(const struct transport_state *state);   /* to a message whose sender waits */
void answers_see_message(struct transport_state *state, int peer); /* one is about to leave */

/* ---- offers.c ------------------------------------------------------------------------------------------------- */

/* The sender: a tag for the data of this message, op->ticket; false: none is free. They set out; true: their receive had begun, and
 * nobody need hear of them. Whose end does not wait for that forgets them: the tag stays in use. */
bool offers_place(struct transport_state *state, struct dist_work *op);
bool offers_set_out(struct transport_state *state, struct dist_work *op, size_t bytes, uint64_t tag);
void offers_forget(struct transport_state *state, const struct dist_work *op);
bool offers_progress(struct transport_state *state); /* true: some were taken */

/* The receiver: are this message's data on offer? They are taken, by this receive; by none, if type or count differ. */
static inline bool offers_are(const struct wire *message)
{
    return message->tag >= OFFERS_FIRST_TAG;
}
void offers_take(struct transport_state *state, int from, const struct wire *message, struct dist_work *op,
                 transport_request begun); /* begun: its receive, if it has (ahead.c); else 0 */

/* ---- ahead.c -------------------------------------------------------------------------------------------------- */

bool ahead_open(struct transport_state *state, int size); /* false: no memory */

/* The sender: this message is counted; a long one has a number, and the tag of its data if they are offered. */
void ahead_name(struct transport_state *state, int peer, struct wire *message, bool is_long);

/* The receiver: a receive is posted, and begins if it may; or ends without a message. */
void ahead_begin(struct transport_state *state, struct dist_work *op, size_t bytes);
void ahead_take_back(struct transport_state *state, const struct dist_work *op);
bool ahead_progress(struct transport_state *state); /* true: data have come */

/* A message has been heard, and before it meets its receive: data of that rank that have come are in theirs. True: its own did so. */
bool ahead_is_late(struct transport_state *state, int from, const struct wire *message, bool is_long);

/* A message has met this receive: the request of its data, if that is what has begun; else that is taken back: 0. */
transport_request ahead_meet(struct transport_state *state, const struct dist_work *op,
                             const struct wire *message);

#endif
