/*
 * stream_program.h: random programs over streams, in which nothing races, and what must come of them.
 *
 *   stream_draw.c     draws a program: the same on every rank, from a seed
 *   stream_clocks.c   keeps account of what orders the streams; it is the test's own, and shares no line with the library
 *   stream_missing.c  adds events, waits and synchronisations where an order is missing
 *   stream_model.c    does a program step by step on the host: the sequential reference
 *   stream_run.c      does one rank's part of it on its GPU, and compares (stream_collective.c: with collectives)
 *
 * Each rank has the same streams, and tensors of the same size, counted in grains of a few elements. A step is a call of one
 * rank, or a message between two, or a collective of all. Every rank makes its calls in the order of the steps; so whatever
 * waits, waits for earlier steps only, and no program can be stuck unless the library is.
 */
#ifndef TESTS_STREAM_PROGRAM_H
#define TESTS_STREAM_PROGRAM_H

#include "conform_exam.h"

enum { RANKS = 4, STREAMS = 4, TENSORS = 4, GRAINS = 8, GRAIN = 3, EVENTS = 3, STEPS = 400 };

/* A piece of a tensor, in grains. count 0: none. */
struct place {
    int tensor, begin, count;
};

static inline bool places_meet(struct place a, struct place b)
{
    return a.tensor == b.tensor && a.begin < b.begin + b.count && b.begin < a.begin + a.count;
}

enum step_kind {
    STEP_FILL,   /* out = value */
    STEP_ADD,    /* out += in */
    STEP_SUB,    /* out -= in */
    STEP_COPY,   /* out = in */
    STEP_BUSY,   /* something that takes a while, on memory of the stream's own */
    STEP_NAP,    /* the host does nothing for a moment */
    STEP_READ,   /* the host looks at `in` */
    STEP_WRITE,  /* the host writes `value` to `out` */
    STEP_REMAKE, /* free out's tensor; make it anew, full of `value` */

    STEP_ORDER, /* `stream` waits for all that stands in stream `other` now: an event, recorded and waited for */
    STEP_RECORD,          /* event number `other` is recorded in `stream`; */
    STEP_FOLLOW,          /* `stream` waits for it */
    STEP_SYNCHRONIZE,     /* the host waits for `stream`; */
    STEP_SYNCHRONIZE_ALL, /* for everything */
    STEP_WAIT,            /* `stream` waits for the work that step number `other` started */

    STEP_MESSAGE, /* from `rank` to `peer`; the first part is the sender's */
    STEP_COLLECTIVE
};

enum stream_collective {
    ALL_REDUCE,
    BROADCAST,
    REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    SCATTER,
    GATHER,
    BARRIER,
    COLLECTIVES
};

/* What one rank does in a step. `in` is read and `out` written; of one tensor that is both, only `out` is set. */
struct part {
    struct place in, out;
    int stream;
    bool starts; /* asynchronously: a later STEP_WAIT waits for it */
};

struct step {
    enum step_kind kind;
    enum stream_collective collective;
    int rank, peer; /* a collective's root is `rank` */
    int other;
    int value;
    bool any; /* the receiver says DIST_ANY_SOURCE */
    struct part parts[RANKS];
};

struct program {
    uint64_t seed;
    int ranks, streams, count;
    struct step steps[STEPS];
};

void program_draw(struct program *program, uint64_t seed, int ranks);

/* Add a step, by which this rank makes a call on a stream. NULL: the program is full. */
struct step *program_add(struct program *program, enum step_kind kind, int rank, int stream);

/* Leave out one event without which something races. False: the program has none. */
bool program_spoil(struct program *program);

/* ---- stream_clocks.c, stream_missing.c ------------------------------------------------------------------ */

struct clocks;
struct clocks *clocks_new(void);
void clocks_free(struct clocks *clocks);

/* Note what a program's next step does. False: it touches what nothing orders it with, or what a work still needs. */
bool clocks_pass(struct clocks *clocks, const struct program *program, int step);

/* Add the steps that are missing, and note what they do, so that a rank's part may come next. */
void clocks_prepare(struct clocks *clocks, struct program *program, uint64_t *dice, int rank,
                    const struct part *part);

/* One of the rank's works that was not waited for, by the step that started it; -1: there is none. And how many there are. */
int clocks_work(const struct clocks *clocks, uint64_t *dice, int rank);
int clocks_works(const struct clocks *clocks, int rank);

/* The first step that races; -1: none does. */
int program_race(const struct program *program);

/* ---- stream_model.c: the reference --------------------------------------------------- */

struct model {
    int64_t cells[RANKS][TENSORS][GRAINS * GRAIN];
};

/* What a tensor is full of at first. */
static inline int program_first(int rank, int tensor)
{
    return 10 * (rank + 1) + tensor;
}

void model_begin(struct model *model, const struct program *program);
void model_do(struct model *model, const struct program *program, const struct step *step);

/* ---- stream_run.c ---------------------------------------------------------------------- */

/* What the ranks are to do; exam->given points to it. */
struct stream_plan {
    int programs;
    bool spoil; /* each of them: then the run shall not end well */
};

/* stream_collective.c: the call, on this rank's tensors. */
dist_work *stream_collective(enum stream_collective which, tensor *out, tensor *in, int root, bool async);

void stream_body(struct exam *exam, int rank, int size);

#endif
