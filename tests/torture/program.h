/* program.h: a rank's side of a random program. */
#ifndef TORTURE_PROGRAM_H
#define TORTURE_PROGRAM_H

#include "torture.h"

#define TEAMS 4
#define PENDING 24

struct team {
    dist_group *group;
    int ranks[MOST_RANKS], n, me; /* me: this rank's place; -1: no member */
};

/* Something under way, and what must come of it. */
struct pending {
    dist_work *work;
    tensor *wholes[2], *in,
        *out;       /* wholes: the larger ones where they are slices; in: what is sent; out: what comes */
    void *expected; /* out's elements; NULL: nothing to look at */
    enum dist_type type;
    enum dist_op op;
    int64_t count;
    int inputs; /* above 0: reduced from so many, perhaps in another order */
    int from;   /* what dist_wait must give */
    int step;
    const char *what;
};

struct program {
    const struct plan *plan;
    struct board *board;
    int rank, size, step;
    uint64_t common, own; /* dice: everybody's; this rank's */
    uint64_t operations;
    struct team teams[TEAMS]; /* the first is the world */
    struct pending pending[PENDING];
    int count;
};

int64_t common(struct program *p, int64_t limit);
int64_t own(struct program *p, int64_t limit);

/* What a rank has to say in this step; salt tells apart what it says to several. */
void *program_speech(const struct program *p, int rank, int salt, enum dist_type type, int64_t count);

/* A tensor with these elements, or zeros; now and then a slice of a larger one. */
tensor *program_tensor(struct program *p, struct pending *pending, enum dist_type type, int64_t count,
                       const void *elements);

/* Keep what was started; what is over already is looked at. */
void program_keep(struct program *p, struct pending *pending);
void program_finish_all(struct program *p);
void program_wrong(struct program *p, const char *format, ...);

/* The steps: each is taken by all ranks, with the same common dice. */
void step_scattered(struct program *p);
void step_ring(struct program *p);
void step_collect(struct program *p);
void step_chain(struct program *p);
void step_collective(struct program *p);
void step_team(struct program *p);
void step_streams(struct program *p);
void team_make(struct program *p, int which);

#endif
